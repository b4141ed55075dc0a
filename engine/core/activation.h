// The controller becomes active: one written sequence, from the log alone. Nothing of what an earlier
// leader had in mind is remembered; what is left to do is seen in the image.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// This node leads, and quorum-state says so: writes the epoch's first batch (LeaderChange). The rest of the
// sequence waits for its commit.
void begin_epoch(NodeState& node, const Time& now, Effects& out);

// The epoch's first batch is committed. In this order: an open transaction is aborted; an empty log gets
// its bootstrap records; this controller registers itself; unfinished work is written; leases are granted;
// requests are served from here on.
void activate(NodeState& node, const Time& now, Effects& out);

}  // namespace hayward::core

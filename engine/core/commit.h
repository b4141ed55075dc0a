// What follows when more is known to be committed.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// After each event: if `committed` has risen, what is committed by that is told: a follower replays it, parked
// answers and fetches go out, a waiting snapshot is written, and the first time in an epoch the controller that leads it
// becomes active.
void settle_committed(NodeState& node, const Time& now, Effects& out);

// Replays the log's batches that the image has not seen, whole ones below `end`. A record that cannot be applied ends
// the node.
void replay_tail(NodeState& node, Offset end, Effects& out);

}  // namespace hayward::core

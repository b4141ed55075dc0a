// Taking and losing the lead, as raft decides it.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// After each event: if this node leads now and did not, the image takes in what is not committed yet, and the epoch
// begins. If it led and does not any more, whoever waits for an answer is told so (NOT_CONTROLLER), the image goes back
// to what is committed (C13), and its leases end (L9).
void follow_role(NodeState& node, const Time& now, Effects& out);

}  // namespace hayward::core

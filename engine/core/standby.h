// What a controller that does not lead does beside following: it registers with the active one, so that the cluster
// knows which features every controller can take.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// After each event. When to look again.
MonoTime poll_standby(NodeState& node, const Time& now, Effects& out);

}  // namespace hayward::core

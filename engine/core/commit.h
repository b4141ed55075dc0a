// What follows when the high watermark moves.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// The log is on stable storage up to `end`. What is committed by that is told: parked answers and fetches go
// out, a waiting snapshot is written, and the first time in an epoch the controller becomes active.
void log_flushed(NodeState& node, Offset end, const Time& now, Effects& out);

}  // namespace hayward::core

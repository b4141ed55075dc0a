// What the active controller does by the clock: no-op records, elections.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

void start_periodic_work(NodeState& node, const Time& now);
// Does what is due.
void run_periodic_work(NodeState& node, const Time& now, Effects& out);
void stop_periodic_work(NodeState& node);

}  // namespace hayward::core

// The finalizing of a kraft.version: raft keeps that feature, UpdateFeatures asks for it.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// Appends {KRaftVersion, Voters}: from here on the voters are those of the log. The one voter is this node,
// whose addresses and range it knows; nothing can stand in the way.
void raise_kraft_version(NodeState& node, std::int16_t version, const Time& now, Effects& out);

}  // namespace hayward::core

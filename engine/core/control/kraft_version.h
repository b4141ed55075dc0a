// The finalizing of a kraft.version: raft keeps that feature, UpdateFeatures asks for it.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// Why kraft.version cannot be raised to 1 now: each voter must have told this leader where it is, and must support it.
// nullopt: it can.
std::optional<std::string> why_not_raise_kraft_version(const NodeState& node);
// Appends {KRaftVersion, Voters}: from here on the voters are those of the log. Only if nothing stands in the way.
void raise_kraft_version(NodeState& node, std::int16_t version, const Time& now, Effects& out);

}  // namespace hayward::core

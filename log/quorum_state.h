// quorum-state: the epoch, its leader and this node's vote, as one JSON object. data_version 0 is written
// for kraft.version 0 and carries the voters' ids; data_version 1 carries the voted directory id.
// Owner: log. Shard 0 and the tools.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/types.h"
#include "log/error.h"

namespace hayward::log {

// `path` is for the errors. An unknown data_version is an error of kind version.
Result<core::QuorumState> parse_quorum_state(std::string_view json, const std::string& path);
std::string render_quorum_state(const core::QuorumState& state);

}  // namespace hayward::log

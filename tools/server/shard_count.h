// How many shards, and on which cores.
// Owner: tools. Start-up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/config/server_config.h"

namespace hayward::tools {

// As configured; else one for each core that the affinity mask and the cgroup's quota give this process, at most 4.
std::uint16_t shard_count(const config::ShardSettings& settings);

// The cores of the affinity mask, in turn: one for each shard.
std::vector<int> cores_to_pin(std::uint16_t shards);

// Whole cores that a cgroup v2 `cpu.max` gives ("max 100000", "150000 100000"), at least 1; 0: no bound.
int cores_of_quota(std::string_view cpu_max);

}  // namespace hayward::tools

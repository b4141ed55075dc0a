// The records that an empty log begins with.
// Owner: the node. Shard 0.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "engine/core/start.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

// `given` (records of bootstrap.checkpoint; if none: the latest metadata.version alone) as they go into the log: with
// ELR enabled also the cluster's min.insync.replicas, and within a transaction where metadata.version knows
// them. The error says which record is not usable.
std::expected<std::vector<Buffer>, std::string> make_bootstrap(const NodeConfig& config, std::span<const Buffer> given);

}  // namespace hayward::core

// What recovery found becomes the image and the voter set, before the node starts. The input is a file's: a
// fault in it is told by one line, never asserted.
// Owner: the node. Shard 0.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "engine/core/node_state.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

// One batch of the newest snapshot, in order. Records of the bootstrap checkpoint (0-0) that are metadata
// become bootstrap records, unless bootstrap.checkpoint had some.
std::expected<void, std::string> load_snapshot_batch(NodeState& node, Bytes batch);

// One batch of the log, in order.
std::expected<void, std::string> load_log_batch(NodeState& node, Bytes batch);

// Everything is loaded. One line if the node cannot start on it: something is missing, or the voter set is not
// this node alone.
std::optional<std::string> why_not_startable(const NodeState& node);

}  // namespace hayward::core

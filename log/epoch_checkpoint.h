// leader-epoch-checkpoint (where each epoch begins) and partition.metadata (the topic id): the two small
// text files beside the log.
// Owner: log. Shard 0 and the tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.h"
#include "log/error.h"

namespace hayward::log {

// Lines "0", the count, then "EPOCH START" ascending in both. An empty file is an empty list (Java
// creates it so). `path` is for the errors.
Result<std::vector<core::EpochStart>> parse_epoch_checkpoint(std::string_view text, const std::string& path);
std::string render_epoch_checkpoint(const std::vector<core::EpochStart>& epochs);

// Lines "version: 0" and "topic_id: UUID".
Result<TopicId> parse_partition_metadata(std::string_view text, const std::string& path);
std::string render_partition_metadata(TopicId topic);

}  // namespace hayward::log

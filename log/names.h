// The names of the files in a metadata directory, as Kafka gives them.
// Owner: log. Any shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

// In the metadata log directory (metadata.log.dir).
inline constexpr std::string_view partition_directory_name = "__cluster_metadata-0";
inline constexpr std::string_view meta_properties_name = "meta.properties";
inline constexpr std::string_view bootstrap_checkpoint_name = "bootstrap.checkpoint";
inline constexpr std::string_view lock_name = ".lock";

// In the partition directory.
inline constexpr std::string_view quorum_state_name = "quorum-state";
inline constexpr std::string_view epoch_checkpoint_name = "leader-epoch-checkpoint";
inline constexpr std::string_view partition_metadata_name = "partition.metadata";
inline constexpr std::string_view flush_mark_name = "flush-mark";
inline constexpr std::string_view lost_data_name = "lost-data";

inline constexpr std::string_view log_suffix = ".log";
inline constexpr std::string_view index_suffix = ".index";
inline constexpr std::string_view time_index_suffix = ".timeindex";
inline constexpr std::string_view producer_snapshot_suffix = ".snapshot";
inline constexpr std::string_view checkpoint_suffix = ".checkpoint";
inline constexpr std::string_view deleted_suffix = ".deleted";
inline constexpr std::string_view temporary_suffix = ".tmp";
inline constexpr std::string_view part_suffix = ".part";

std::string join_path(std::string_view directory, std::string_view name);

// 20 digits and the suffix.
std::string segment_file_name(Offset base, std::string_view suffix);
// 20 digits, '-', 10 digits, ".checkpoint".
std::string snapshot_file_name(core::SnapshotId id);

// The base offset of "DIGITS20 SUFFIX"; nullopt if the name is not of that form.
std::optional<Offset> parse_segment_file_name(std::string_view name, std::string_view suffix);
std::optional<core::SnapshotId> parse_snapshot_file_name(std::string_view name);

}  // namespace hayward::log

// metadata.version: its levels, their names, and what each allows, as named questions; no one else compares
// level numbers.
// Owner: engine/core. Any shard.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hayward::core {

inline constexpr std::string_view metadata_version_feature = "metadata.version";
inline constexpr std::string_view kraft_version_feature = "kraft.version";
inline constexpr std::string_view elr_feature = "eligible.leader.replicas.version";

struct MetadataVersion {
  std::int16_t level = 0;

  // "4.3-IV0"; "unknown" for a level outside the table.
  std::string_view name() const;

  bool in_controlled_shutdown_state() const { return level >= 7; }
  bool zk_migration() const { return level >= 8; }
  bool scram() const { return level >= 11; }
  // From here on a smaller ISR does not raise the leader epoch.
  bool skips_leader_epoch_bump_on_isr_shrink() const { return level >= 12; }
  bool transactions() const { return level >= 13; }
  bool delegation_tokens() const { return level >= 14; }
  bool controller_registration() const { return level >= 15; }
  bool directory_assignment() const { return level >= 17; }
  bool kraft_version_by_default() const { return level >= 21; }
  bool elr() const { return level >= 23; }
  bool cordoned_log_dirs() const { return level >= 30; }

  friend constexpr auto operator<=>(const MetadataVersion&, const MetadataVersion&) = default;
};

inline constexpr MetadataVersion minimum_metadata_version{7};
inline constexpr MetadataVersion latest_production_metadata_version{30};
inline constexpr MetadataVersion latest_unstable_metadata_version{31};

// 7..30; 31 too when unstable feature versions are enabled.
MetadataVersion latest_metadata_version(bool unstable_enabled);
// Known levels, 31 included.
std::optional<MetadataVersion> metadata_version_from_level(std::int16_t level);
// A level's name ("4.3-IV0") or a release ("4.3", "4.3.1": its last level); nullopt if unknown. 4.4 is known:
// whether it may be used is latest_metadata_version()'s to say.
std::optional<MetadataVersion> metadata_version_from_name(std::string_view name);
// Whether a level in (lower, higher] changed the form of records: then no way leads back.
bool metadata_format_changes_between(MetadataVersion lower, MetadataVersion higher);

// The other features.
struct FeatureInfo {
  std::string_view name;
  std::int16_t min = 0;
  std::int16_t max = 0;
};

// Every feature this controller knows but metadata.version, kraft.version among them; ascending by name. None
// but metadata.version has unstable levels.
std::span<const FeatureInfo> known_features();
// The range this controller supports, metadata.version included; 0..0 for an unknown name.
FeatureInfo supported_feature(std::string_view name, bool unstable_enabled);
// The level that `name` gets when a cluster is made at `version` (Kafka's defaults, production levels).
std::int16_t default_feature_level(std::string_view name, MetadataVersion version);
// The least metadata.version that `level` of `name` may be finalized with; nullopt: any.
std::optional<MetadataVersion> required_metadata_version(std::string_view name, std::int16_t level);

}  // namespace hayward::core

// The tables of levels and features (Apache Kafka 4.3).
// Owner: engine/core. Any shard.
#include "engine/core/metadata_version.h"

#include <algorithm>
#include <iterator>

namespace hayward::core {
namespace {

struct Level {
  std::string_view name;
  bool format_changed;  // against the level before
};

// From level 7 on, one after another.
constexpr Level levels[] = {
    {"3.3-IV3", true},  {"3.4-IV0", true},  {"3.5-IV0", false}, {"3.5-IV1", false}, {"3.5-IV2", true},
    {"3.6-IV0", false}, {"3.6-IV1", true},  {"3.6-IV2", true},  {"3.7-IV0", true},  {"3.7-IV1", false},
    {"3.7-IV2", true},  {"3.7-IV3", false}, {"3.7-IV4", false}, {"3.8-IV0", false}, {"3.9-IV0", false},
    {"4.0-IV0", false}, {"4.0-IV1", true},  {"4.0-IV2", false}, {"4.0-IV3", false}, {"4.1-IV0", false},
    {"4.1-IV1", false}, {"4.2-IV0", false}, {"4.2-IV1", false}, {"4.3-IV0", true},  {"4.4-IV0", false},
};
constexpr std::int16_t first_level = 7;
static_assert(std::size(levels) == 31 - first_level + 1);

constexpr FeatureInfo features[] = {
    {elr_feature, 0, 1},     {"group.version", 0, 1},   {kraft_version_feature, 0, 1},
    {"share.version", 0, 1}, {"streams.version", 0, 1}, {"transaction.version", 0, 2},
};

// From `from` on a new cluster gets `level` of the feature.
struct FeatureDefault {
  std::string_view name;
  std::int16_t from;
  std::int16_t level;
};
constexpr FeatureDefault feature_defaults[] = {
    {kraft_version_feature, 21, 1}, {"group.version", 22, 1}, {"transaction.version", 24, 2},
    {elr_feature, 26, 1},           {"share.version", 28, 1}, {"streams.version", 29, 1},
};

const Level* find_level(std::int16_t level) {
  const auto at = static_cast<std::size_t>(level - first_level);
  return level >= first_level && at < std::size(levels) ? &levels[at] : nullptr;
}

// "4.3" of "4.3.1"; the text itself if it has no second dot.
std::string_view release_of(std::string_view name) {
  const std::size_t first = name.find('.');
  if (first == std::string_view::npos) return name;
  const std::size_t second = name.find('.', first + 1);
  return second == std::string_view::npos ? name : name.substr(0, second);
}

}  // namespace

std::string_view MetadataVersion::name() const {
  const Level* entry = find_level(level);
  return entry ? entry->name : "unknown";
}

MetadataVersion latest_metadata_version(bool unstable_enabled) {
  return unstable_enabled ? latest_unstable_metadata_version : latest_production_metadata_version;
}

std::optional<MetadataVersion> metadata_version_from_level(std::int16_t level) {
  if (!find_level(level)) return std::nullopt;
  return MetadataVersion{level};
}

std::optional<MetadataVersion> metadata_version_from_name(std::string_view name) {
  const std::string_view release = name.find('-') == std::string_view::npos ? release_of(name) : std::string_view();
  for (std::size_t i = std::size(levels); i-- > 0;) {
    const std::string_view level = levels[i].name;
    if (level == name || (!release.empty() && level.substr(0, level.find('-')) == release)) {
      return MetadataVersion{static_cast<std::int16_t>(first_level + static_cast<std::int16_t>(i))};
    }
  }
  return std::nullopt;
}

bool metadata_format_changes_between(MetadataVersion lower, MetadataVersion higher) {
  for (std::int16_t level = static_cast<std::int16_t>(lower.level + 1); level <= higher.level; ++level) {
    const Level* entry = find_level(level);
    if (entry && entry->format_changed) return true;
  }
  return false;
}

std::span<const FeatureInfo> known_features() { return features; }

FeatureInfo supported_feature(std::string_view name, bool unstable_enabled) {
  if (name == metadata_version_feature) {
    return {metadata_version_feature, minimum_metadata_version.level, latest_metadata_version(unstable_enabled).level};
  }
  const auto at = std::ranges::find(features, name, &FeatureInfo::name);
  return at == std::end(features) ? FeatureInfo{name, 0, 0} : *at;
}

std::int16_t default_feature_level(std::string_view name, MetadataVersion version) {
  const auto at = std::ranges::find(feature_defaults, name, &FeatureDefault::name);
  return at != std::end(feature_defaults) && version.level >= at->from ? at->level : std::int16_t{0};
}

std::optional<MetadataVersion> required_metadata_version(std::string_view name, std::int16_t level) {
  if (level < 1 || name == metadata_version_feature) return std::nullopt;
  return name == elr_feature ? MetadataVersion{23} : minimum_metadata_version;
}

}  // namespace hayward::core

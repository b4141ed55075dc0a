#include "engine/core/control/topic_configs.h"

#include <algorithm>
#include <array>

namespace hayward::core {
namespace {

using Kind = ConfigCheck::Kind;

// clang-format off
constexpr auto keys = std::to_array<ConfigKey>({
    {"cleanup.policy", ConfigType::list, "delete", {Kind::list_of, 0, 0, "compact,delete"}},
    {"compression.gzip.level", ConfigType::integer, "-1", {Kind::range_or_minus_one, 1, 9, {}}},
    {"compression.lz4.level", ConfigType::integer, "9", between(1, 17)},
    {"compression.type", ConfigType::string, "producer", one_of("uncompressed,zstd,lz4,snappy,gzip,producer")},
    {"compression.zstd.level", ConfigType::integer, "3", between(-131072, 22)},
    {"delete.retention.ms", ConfigType::long_integer, "86400000", at_least(0)},
    {"file.delete.delay.ms", ConfigType::long_integer, "60000", at_least(0)},
    {"flush.messages", ConfigType::long_integer, "9223372036854775807", at_least(1)},
    {"flush.ms", ConfigType::long_integer, "9223372036854775807", at_least(0)},
    {"follower.replication.throttled.replicas", ConfigType::list, "", {Kind::throttled_replicas, 0, 0, {}}},
    {"index.interval.bytes", ConfigType::integer, "4096", at_least(0)},
    {"internal.segment.bytes", ConfigType::integer, std::nullopt, {}, true},
    {"leader.replication.throttled.replicas", ConfigType::list, "", {Kind::throttled_replicas, 0, 0, {}}},
    {"local.retention.bytes", ConfigType::long_integer, "-2", at_least(-2)},
    {"local.retention.ms", ConfigType::long_integer, "-2", at_least(-2)},
    {"max.compaction.lag.ms", ConfigType::long_integer, "9223372036854775807", at_least(1)},
    {"max.message.bytes", ConfigType::integer, "1048588", at_least(0)},
    {"message.timestamp.after.max.ms", ConfigType::long_integer, "3600000", at_least(0)},
    {"message.timestamp.before.max.ms", ConfigType::long_integer, "9223372036854775807", at_least(0)},
    {"message.timestamp.type", ConfigType::string, "CreateTime", one_of("CreateTime,LogAppendTime")},
    {"min.cleanable.dirty.ratio", ConfigType::floating, "0.5", between(0, 1)},
    {"min.compaction.lag.ms", ConfigType::long_integer, "0", at_least(0)},
    {"min.insync.replicas", ConfigType::integer, "1", at_least(1)},
    {"preallocate", ConfigType::boolean, "false"},
    {"remote.log.copy.disable", ConfigType::boolean, "false"},
    {"remote.log.delete.on.disable", ConfigType::boolean, "false"},
    {"remote.storage.enable", ConfigType::boolean, "false"},
    {"retention.bytes", ConfigType::long_integer, "-1"},
    {"retention.ms", ConfigType::long_integer, "604800000", at_least(-1)},
    {"segment.bytes", ConfigType::integer, "1073741824", at_least(1048576)},
    {"segment.index.bytes", ConfigType::integer, "10485760", at_least(4)},
    {"segment.jitter.ms", ConfigType::long_integer, "0", at_least(0)},
    {"segment.ms", ConfigType::long_integer, "604800000", at_least(1)},
    {"unclean.leader.election.enable", ConfigType::boolean, "false"},
});
// clang-format on

// A broker key that gives a topic key its default. Several for one topic key: the first that is set counts.
struct Synonym {
  std::string_view topic_key;
  std::string_view broker_key;
  std::int64_t factor = 0;  // 0: the text as it is; else a whole number times this
};
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 3'600'000;

// clang-format off
constexpr auto synonyms = std::to_array<Synonym>({
    {"cleanup.policy", "log.cleanup.policy"},
    {"compression.gzip.level", "compression.gzip.level"},
    {"compression.lz4.level", "compression.lz4.level"},
    {"compression.type", "compression.type"},
    {"compression.zstd.level", "compression.zstd.level"},
    {"delete.retention.ms", "log.cleaner.delete.retention.ms"},
    {"file.delete.delay.ms", "log.segment.delete.delay.ms"},
    {"flush.messages", "log.flush.interval.messages"},
    {"flush.ms", "log.flush.interval.ms"},
    {"flush.ms", "log.flush.scheduler.interval.ms"},
    {"index.interval.bytes", "log.index.interval.bytes"},
    {"local.retention.bytes", "log.local.retention.bytes"},
    {"local.retention.ms", "log.local.retention.ms"},
    {"max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"},
    {"max.message.bytes", "message.max.bytes"},
    {"message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"},
    {"message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"},
    {"message.timestamp.type", "log.message.timestamp.type"},
    {"min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"},
    {"min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"},
    {"min.insync.replicas", "min.insync.replicas"},
    {"preallocate", "log.preallocate"},
    {"retention.bytes", "log.retention.bytes"},
    {"retention.ms", "log.retention.ms"},
    {"retention.ms", "log.retention.minutes", minute_ms},
    {"retention.ms", "log.retention.hours", hour_ms},
    {"segment.bytes", "log.segment.bytes"},
    {"segment.index.bytes", "log.index.size.max.bytes"},
    {"segment.jitter.ms", "log.roll.jitter.ms"},
    {"segment.jitter.ms", "log.roll.jitter.hours", hour_ms},
    {"segment.ms", "log.roll.ms"},
    {"segment.ms", "log.roll.hours", hour_ms},
    {"unclean.leader.election.enable", "unclean.leader.election.enable"},
});
// clang-format on

std::span<const Synonym> synonyms_of(std::string_view topic_key) {
  const auto range = std::ranges::equal_range(synonyms, topic_key, {}, &Synonym::topic_key);
  return {range.begin(), range.end()};
}

std::string converted(std::string_view value, std::int64_t factor) {
  if (factor == 0) return std::string(value);
  return std::to_string(parse_integer(trim(value), INT32_MIN, INT32_MAX).value_or(0) * factor);
}

template <class Map>
std::optional<EffectiveConfig> from_layer(const Map* layer, std::span<const Synonym> names, ConfigSource source) {
  if (layer == nullptr) return std::nullopt;
  for (const auto& synonym : names) {
    const auto at = layer->find(std::string(synonym.broker_key));
    if (at != layer->end()) return EffectiveConfig{converted(at->second, synonym.factor), source};
  }
  return std::nullopt;
}

const ConfigKey& known_key(std::string_view name) { return *find_key(keys, name); }

}  // namespace

std::span<const ConfigKey> topic_config_keys() { return keys; }

std::string_view broker_synonym_of_topic_config(std::string_view name) {
  const auto names = synonyms_of(name);
  return names.empty() ? std::string_view{} : names.front().broker_key;
}

EffectiveConfig effective_topic_config(const ConfigKey& key, const ConfigMap* topic, const BrokerLayers& layers) {
  if (topic != nullptr) {
    const auto at = topic->find(key.name);
    if (at != topic->end()) return {at->second, ConfigSource::topic};
  }
  const auto names = synonyms_of(key.name);
  if (auto found = from_layer(layers.own_node, names, ConfigSource::dynamic_broker)) return *found;
  if (auto found = from_layer(layers.cluster_default, names, ConfigSource::dynamic_default_broker)) return *found;
  if (auto found = from_layer(layers.statics, names, ConfigSource::static_broker)) return *found;
  if (!key.default_value) return {};
  return {std::string(*key.default_value), ConfigSource::default_value};
}

ElectionConfigs::ElectionConfigs(const BrokerLayers& layers) {
  const auto min_isr = effective_topic_config(known_key("min.insync.replicas"), nullptr, layers);
  const auto unclean = effective_topic_config(known_key("unclean.leader.election.enable"), nullptr, layers);
  min_insync_replicas_ =
      static_cast<std::int32_t>(parse_integer(trim(min_isr.value.value_or("1")), 1, INT32_MAX).value_or(1));
  unclean_election_enabled_ =
      canonical_value(known_key("unclean.leader.election.enable"), unclean.value.value_or("false")) == "true";
}

std::int32_t ElectionConfigs::min_insync_replicas(const ConfigMap* topic) const {
  if (topic == nullptr) return min_insync_replicas_;
  const auto at = topic->find("min.insync.replicas");
  if (at == topic->end()) return min_insync_replicas_;
  return static_cast<std::int32_t>(parse_integer(trim(at->second), 1, INT32_MAX).value_or(1));
}

bool ElectionConfigs::unclean_election_enabled(const ConfigMap* topic) const {
  if (topic == nullptr) return unclean_election_enabled_;
  const auto at = topic->find("unclean.leader.election.enable");
  if (at == topic->end()) return unclean_election_enabled_;
  return canonical_value(known_key("unclean.leader.election.enable"), at->second) == "true";
}

std::int32_t static_min_insync_replicas(const BrokerLayers& layers) {
  BrokerLayers only_statics;
  only_statics.statics = layers.statics;
  return ElectionConfigs(only_statics).min_insync_replicas(nullptr);
}

}  // namespace hayward::core

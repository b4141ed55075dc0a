#include "engine/core/control/group_configs.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace hayward::core {
namespace {

using Kind = ConfigCheck::Kind;

// clang-format off
constexpr auto keys = std::to_array<ConfigKey>({
    {"consumer.assignment.interval.ms", ConfigType::integer, "1000", at_least(0)},
    {"consumer.heartbeat.interval.ms", ConfigType::integer, "5000", at_least(1)},
    {"consumer.session.timeout.ms", ConfigType::integer, "45000", at_least(1)},
    {"share.assignment.interval.ms", ConfigType::integer, "1000", at_least(0)},
    {"share.auto.offset.reset", ConfigType::string, "latest", {Kind::offset_reset, 0, 0, {}}},
    {"share.delivery.count.limit", ConfigType::integer, "5", at_least(2)},
    {"share.heartbeat.interval.ms", ConfigType::integer, "5000", at_least(1)},
    {"share.isolation.level", ConfigType::string, "read_uncommitted", one_of("read_committed,read_uncommitted")},
    {"share.partition.max.record.locks", ConfigType::integer, "2000", at_least(100)},
    {"share.record.lock.duration.ms", ConfigType::integer, "30000", at_least(1000)},
    {"share.renew.acknowledge.enable", ConfigType::boolean, "true"},
    {"share.session.timeout.ms", ConfigType::integer, "45000", at_least(1)},
    {"streams.assignment.interval.ms", ConfigType::integer, "1000", at_least(0)},
    {"streams.heartbeat.interval.ms", ConfigType::integer, "5000", at_least(1)},
    {"streams.initial.rebalance.delay.ms", ConfigType::integer, "3000", at_least(0)},
    {"streams.num.standby.replicas", ConfigType::integer, "0", at_least(0)},
    {"streams.session.timeout.ms", ConfigType::integer, "45000", at_least(1)},
});

// A group key's bounds are the values of broker keys. Kafka leaves the assignment intervals unchecked
// unless they are set on the group.
struct Bounds {
  std::string_view key;
  std::string_view min_key;  // empty: none
  std::string_view max_key;
  bool only_if_set = false;
};
constexpr auto bounds = std::to_array<Bounds>({
    {"consumer.heartbeat.interval.ms", "group.consumer.min.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"},
    {"consumer.session.timeout.ms", "group.consumer.min.session.timeout.ms", "group.consumer.max.session.timeout.ms"},
    {"consumer.assignment.interval.ms", "group.consumer.min.assignment.interval.ms", "group.consumer.max.assignment.interval.ms", true},
    {"share.heartbeat.interval.ms", "group.share.min.heartbeat.interval.ms", "group.share.max.heartbeat.interval.ms"},
    {"share.session.timeout.ms", "group.share.min.session.timeout.ms", "group.share.max.session.timeout.ms"},
    {"share.record.lock.duration.ms", "group.share.min.record.lock.duration.ms", "group.share.max.record.lock.duration.ms"},
    {"share.delivery.count.limit", "group.share.min.delivery.count.limit", "group.share.max.delivery.count.limit"},
    {"share.partition.max.record.locks", "group.share.min.partition.max.record.locks", "group.share.max.partition.max.record.locks"},
    {"share.assignment.interval.ms", "group.share.min.assignment.interval.ms", "group.share.max.assignment.interval.ms", true},
    {"streams.heartbeat.interval.ms", "group.streams.min.heartbeat.interval.ms", "group.streams.max.heartbeat.interval.ms"},
    {"streams.session.timeout.ms", "group.streams.min.session.timeout.ms", "group.streams.max.session.timeout.ms"},
    {"streams.num.standby.replicas", "", "group.streams.max.standby.replicas"},
    {"streams.assignment.interval.ms", "group.streams.min.assignment.interval.ms", "group.streams.max.assignment.interval.ms", true},
});

struct Synonym {
  std::string_view group_key;
  std::string_view broker_key;
};
constexpr auto synonyms = std::to_array<Synonym>({
    {"consumer.assignment.interval.ms", "group.consumer.assignment.interval.ms"},
    {"consumer.heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms"},
    {"consumer.session.timeout.ms", "group.consumer.session.timeout.ms"},
    {"share.assignment.interval.ms", "group.share.assignment.interval.ms"},
    {"share.delivery.count.limit", "group.share.delivery.count.limit"},
    {"share.heartbeat.interval.ms", "group.share.heartbeat.interval.ms"},
    {"share.partition.max.record.locks", "group.share.partition.max.record.locks"},
    {"share.record.lock.duration.ms", "group.share.record.lock.duration.ms"},
    {"share.session.timeout.ms", "group.share.session.timeout.ms"},
    {"streams.assignment.interval.ms", "group.streams.assignment.interval.ms"},
    {"streams.heartbeat.interval.ms", "group.streams.heartbeat.interval.ms"},
    {"streams.initial.rebalance.delay.ms", "group.streams.initial.rebalance.delay.ms"},
    {"streams.num.standby.replicas", "group.streams.num.standby.replicas"},
    {"streams.session.timeout.ms", "group.streams.session.timeout.ms"},
});
// clang-format on

std::int64_t effective_number(std::string_view name, const ConfigMap& proposed, const BrokerLayers& layers) {
  return parse_integer(trim(effective_group_config(*find_key(keys, name), &proposed, layers))).value_or(0);
}

std::optional<std::string> check_bounds(const ConfigMap& proposed, const BrokerLayers& layers) {
  for (const auto& bound : bounds) {
    if (bound.only_if_set && !proposed.contains(bound.key)) continue;
    const std::int64_t value = effective_number(bound.key, proposed, layers);
    std::string text(bound.key);
    if (!bound.min_key.empty() && value < broker_integer(layers, bound.min_key)) {
      return text.append(" may not be less than ").append(bound.min_key);
    }
    if (value > broker_integer(layers, bound.max_key))
      return text.append(" may not be more than ").append(bound.max_key);
  }
  return std::nullopt;
}

}  // namespace

std::span<const ConfigKey> group_config_keys() { return keys; }

std::string_view broker_synonym_of_group_config(std::string_view name) {
  const auto at = std::ranges::lower_bound(synonyms, name, {}, &Synonym::group_key);
  return at != synonyms.end() && at->group_key == name ? at->broker_key : std::string_view{};
}

std::string effective_group_config(const ConfigKey& key, const ConfigMap* group, const BrokerLayers& layers) {
  if (group != nullptr) {
    const auto at = group->find(key.name);
    if (at != group->end()) return at->second;
  }
  const auto synonym = broker_synonym_of_group_config(key.name);
  const auto value = synonym.empty() ? std::nullopt : broker_value(layers, synonym);
  return std::string(value ? *value : key.default_value.value_or(""));
}

std::optional<std::string> validate_group_configs(const ConfigMap& proposed, const BrokerLayers& layers) {
  for (const auto& [name, value] : proposed) {
    const ConfigKey* key = find_key(keys, name);
    if (key == nullptr) return "There is no group config named " + name;
    if (auto canonical = canonical_value(*key, value); !canonical) return canonical.error();
  }
  if (auto why = check_bounds(proposed, layers)) return why;
  for (const std::string kind : {"consumer", "share", "streams"}) {
    const std::string session = kind + ".session.timeout.ms";
    const std::string heartbeat = kind + ".heartbeat.interval.ms";
    if (effective_number(session, proposed, layers) <= effective_number(heartbeat, proposed, layers)) {
      return session + " must be more than " + heartbeat;
    }
  }
  return std::nullopt;
}

}  // namespace hayward::core

#include "engine/core/control/broker_configs.h"

#include <algorithm>
#include <array>

namespace hayward::core {
namespace {

constexpr std::string_view listener_prefix = "listener.name.";

// The key behind "listener.name.<listener>.<key>"; empty: not of that form.
std::string_view listener_base_key(std::string_view name) {
  if (!name.starts_with(listener_prefix)) return {};
  const auto dot = name.find('.', listener_prefix.size());
  return dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
}

// Keys that are also given per mechanism: listener.name.<listener>.<mechanism>.<key>.
constexpr std::array<std::string_view, 5> mechanism_keys = {"sasl.jaas.config", "sasl.login.callback.handler.class",
                                                            "sasl.login.class", "sasl.server.callback.handler.class",
                                                            "connections.max.reauth.ms"};

// Keys that share one setting in different units, highest first.
constexpr std::array<std::array<std::string_view, 3>, 3> unit_synonyms = {{
    {"log.roll.ms", "log.roll.hours", ""},
    {"log.roll.jitter.ms", "log.roll.jitter.hours", ""},
    {"log.retention.ms", "log.retention.minutes", "log.retention.hours"},
}};

const std::string* find_in(const ConfigMap* map, std::string_view name) {
  if (map == nullptr) return nullptr;
  const auto at = map->find(name);
  return at == map->end() ? nullptr : &at->second;
}

// broker.id is node.id's old name: given one, both are.
const std::string* find_static(const BrokerLayers& layers, std::string_view name) {
  if (layers.statics == nullptr) return nullptr;
  auto at = layers.statics->find(std::string(name));
  if (at == layers.statics->end() && name == "broker.id") at = layers.statics->find("node.id");
  return at == layers.statics->end() ? nullptr : &at->second;
}

bool takes_dynamic(std::string_view name) {
  const BrokerKey* key = find_broker_key(name);
  return key == nullptr || key->kind == BrokerKey::Kind::dynamic;
}

}  // namespace

const BrokerKey* find_broker_key(std::string_view name) {
  const auto keys = broker_config_keys();
  const auto at = std::lower_bound(keys.begin(), keys.end(), name,
                                   [](const BrokerKey& key, std::string_view wanted) { return key.name < wanted; });
  return at != keys.end() && at->name == name ? &*at : nullptr;
}

std::vector<BrokerSetting> broker_settings(const BrokerLayers& layers, std::string_view name) {
  std::vector<BrokerSetting> found;
  if (takes_dynamic(name)) {
    if (const auto* value = find_in(layers.own_node, name)) found.push_back({*value, ConfigSource::dynamic_broker});
    if (const auto* value = find_in(layers.cluster_default, name)) {
      found.push_back({*value, ConfigSource::dynamic_default_broker});
    }
  }
  if (const auto* value = find_static(layers, name)) found.push_back({*value, ConfigSource::static_broker});
  return found;
}

std::optional<std::string_view> broker_value(const BrokerLayers& layers, std::string_view name) {
  const auto settings = broker_settings(layers, name);
  if (!settings.empty()) return settings.front().value;
  const BrokerKey* key = find_broker_key(name);
  return key == nullptr ? std::nullopt : key->default_value;
}

std::int64_t broker_integer(const BrokerLayers& layers, std::string_view name) {
  const auto value = broker_value(layers, name);
  return value ? parse_integer(trim(*value)).value_or(0) : 0;
}

bool broker_boolean(const BrokerLayers& layers, std::string_view name) {
  constexpr ConfigKey key{"", ConfigType::boolean, {}};
  const auto value = broker_value(layers, name);
  return value && canonical_value(key, *value) == "true";
}

ConfigType broker_config_type(std::string_view name) {
  if (const BrokerKey* key = find_broker_key(name)) return key->type;
  if (name == "leader.replication.throttled.rate" || name == "follower.replication.throttled.rate" ||
      name == "replica.alter.log.dirs.io.max.bytes.per.second") {
    return ConfigType::long_integer;
  }
  for (auto synonym : broker_config_synonyms(name)) {
    if (const BrokerKey* key = find_broker_key(synonym)) return key->type;
  }
  return ConfigType::unknown;
}

std::vector<std::string_view> broker_config_synonyms(std::string_view name) {
  for (const auto& group : unit_synonyms) {
    if (std::find(group.begin(), group.end(), name) == group.end()) continue;
    std::vector<std::string_view> names(group.begin(), group.end());
    std::erase(names, "");
    return names;
  }
  if (name == "log.flush.interval.ms") return {name, "log.flush.scheduler.interval.ms"};
  const auto base = listener_base_key(name);
  if (base.empty()) return {name};
  for (auto key : mechanism_keys) {
    if (base.ends_with(key)) return {name, key};
  }
  return {name, base};
}

}  // namespace hayward::core

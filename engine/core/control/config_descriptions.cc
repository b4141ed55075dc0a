#include "engine/core/control/config_descriptions.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "engine/core/control/client_metrics_configs.h"
#include "engine/core/control/group_configs.h"
#include "engine/core/control/topic_configs.h"

namespace hayward::core {
namespace {

// `value` in canonical text where it parses; as it is where it does not (a broker key's value is not
// checked before it is stored).
std::string shown(ConfigType type, std::string_view value) {
  return canonical_value({"", type, {}}, value).value_or(std::string(value));
}

std::optional<std::string> unless(bool sensitive, std::string_view value) {
  return sensitive ? std::nullopt : std::optional(std::string(value));
}

// Everything that sets broker key `name`, layer by layer. Kafka leaves out what stands before the first
// setting of the key itself: hours do not show where milliseconds are asked about and not set.
std::vector<ConfigSynonym> broker_synonyms(const BrokerLayers& layers, std::string_view name, bool sensitive) {
  std::vector<ConfigSynonym> all;
  const auto names = broker_config_synonyms(name);
  for (ConfigSource layer :
       {ConfigSource::dynamic_broker, ConfigSource::dynamic_default_broker, ConfigSource::static_broker}) {
    for (auto synonym : names) {
      for (const BrokerSetting& setting : broker_settings(layers, synonym)) {
        if (setting.source == layer) all.push_back({std::string(synonym), unless(sensitive, setting.value), layer});
      }
    }
  }
  for (auto synonym : names) {
    const BrokerKey* key = find_broker_key(synonym);
    if (key == nullptr || !key->default_value) continue;
    all.push_back({std::string(synonym), unless(sensitive, *key->default_value), ConfigSource::default_value});
  }
  const auto own = std::ranges::find(all, name, &ConfigSynonym::name);
  all.erase(all.begin(), own);
  return all;
}

// `key` of a resource that has its own values over broker values or defaults.
ConfigDescription describe(const ConfigKey& key, const ConfigMap& own, ConfigSource own_source,
                           std::optional<std::string> effective, std::vector<ConfigSynonym> below) {
  ConfigDescription described;
  described.name = std::string(key.name);
  described.type = key.type;
  if (effective) described.value = canonical_value(key, *effective).value_or(*effective);
  if (own.contains(key.name)) described.synonyms.push_back({described.name, described.value, own_source});
  std::ranges::move(below, std::back_inserter(described.synonyms));
  return described;
}

ConfigDescription describe_broker_key(std::string_view name, const BrokerLayers& layers) {
  ConfigDescription described;
  described.name = std::string(name);
  described.type = broker_config_type(name);
  described.sensitive = is_sensitive(described.type);
  const BrokerKey* key = find_broker_key(name);
  described.read_only = key == nullptr || key->kind != BrokerKey::Kind::dynamic;
  described.synonyms = broker_synonyms(layers, name, described.sensitive);
  const auto value = broker_value(layers, name);
  if (value && !described.sensitive) described.value = shown(described.type, *value);
  return described;
}

}  // namespace

ConfigDescriptions describe_topic(const ConfigMap& topic, const BrokerLayers& layers) {
  ConfigDescriptions all;
  for (const ConfigKey& key : topic_config_keys()) {
    if (key.internal && !topic.contains(key.name)) continue;
    const auto synonym = broker_synonym_of_topic_config(key.name);
    all.push_back(describe(key, topic, ConfigSource::topic, effective_topic_config(key, &topic, layers).value,
                           synonym.empty() ? std::vector<ConfigSynonym>{} : broker_synonyms(layers, synonym, false)));
  }
  return all;
}

ConfigDescriptions describe_group(const ConfigMap& group, const BrokerLayers& layers) {
  ConfigDescriptions all;
  for (const ConfigKey& key : group_config_keys()) {
    const auto synonym = broker_synonym_of_group_config(key.name);
    std::vector<ConfigSynonym> below;
    if (!synonym.empty()) {
      below = broker_synonyms(layers, synonym, false);
    } else {
      below.push_back({std::string(key.name), std::string(*key.default_value), ConfigSource::default_value});
    }
    all.push_back(describe(key, group, ConfigSource::group, effective_group_config(key, &group, layers), below));
  }
  return all;
}

ConfigDescriptions describe_client_metrics(const ConfigMap& subscription) {
  ConfigDescriptions all;
  for (const ConfigKey& key : client_metrics_config_keys()) {
    const auto at = subscription.find(key.name);
    const std::string value = at != subscription.end() ? at->second : std::string(*key.default_value);
    all.push_back(describe(key, subscription, ConfigSource::client_metrics, value, {}));
  }
  return all;
}

ConfigDescriptions describe_own_node(const BrokerLayers& layers) {
  std::set<std::string, std::less<>> names;
  for (const BrokerKey& key : broker_config_keys()) {
    if (key.kind != BrokerKey::Kind::internal) names.emplace(key.name);
  }
  if (layers.statics != nullptr) {
    for (const auto& [name, value] : *layers.statics) names.insert(name);
  }
  for (const ConfigMap* dynamic : {layers.cluster_default, layers.own_node}) {
    if (dynamic == nullptr) continue;
    for (const auto& [name, value] : *dynamic) names.insert(name);
  }
  ConfigDescriptions all;
  for (const std::string& name : names) all.push_back(describe_broker_key(name, layers));
  return all;
}

ConfigDescriptions describe_cluster_default(const BrokerLayers& layers) {
  ConfigDescriptions all;
  if (layers.cluster_default == nullptr) return all;
  for (const auto& [name, value] : *layers.cluster_default) {
    const BrokerKey* key = find_broker_key(name);
    if (key != nullptr && key->kind != BrokerKey::Kind::dynamic) continue;  // it has no effect
    ConfigDescription described = describe_broker_key(name, layers);
    described.value = unless(described.sensitive, value);
    std::erase_if(described.synonyms,
                  [](const ConfigSynonym& synonym) { return synonym.source != ConfigSource::dynamic_default_broker; });
    all.push_back(std::move(described));
  }
  return all;
}

}  // namespace hayward::core

// One resource's configs as DescribeConfigs shows them: effective values, where they come from, and what
// else is set for the same thing.
// Owner: engine/core/control; pure functions over the image's maps. Shard 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/control/broker_configs.h"
#include "engine/core/control/config_def.h"

namespace hayward::core {

struct ConfigSynonym {
  std::string name;
  std::optional<std::string> value;
  ConfigSource source;
};

struct ConfigDescription {
  std::string name;
  std::optional<std::string> value;  // canonical text; nullopt: none, or not to be shown
  ConfigType type = ConfigType::unknown;
  bool sensitive = false;
  bool read_only = false;               // a dynamic change has no effect
  std::vector<ConfigSynonym> synonyms;  // what it is set to, highest layer first, the default last

  ConfigSource source() const { return synonyms.empty() ? ConfigSource::default_value : synonyms.front().source; }
};
using ConfigDescriptions = std::vector<ConfigDescription>;  // ascending by name

ConfigDescriptions describe_topic(const ConfigMap& topic, const BrokerLayers& layers);
ConfigDescriptions describe_group(const ConfigMap& group, const BrokerLayers& layers);
ConfigDescriptions describe_client_metrics(const ConfigMap& subscription);
// This node: every key that Kafka defines, internal ones and strange ones only where they are set.
ConfigDescriptions describe_own_node(const BrokerLayers& layers);
// What is set for all nodes.
ConfigDescriptions describe_cluster_default(const BrokerLayers& layers);

}  // namespace hayward::core

// Topic configs: the keys that Kafka 4.3 defines, their effective values, and what a set of explicit
// values must satisfy as a whole.
// Owner: engine/core/control; constant data and pure functions over the image's maps. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/control/broker_configs.h"
#include "engine/core/control/config_def.h"

namespace hayward::core {

// Sorted by name.
std::span<const ConfigKey> topic_config_keys();

// The broker key whose value is this topic key's default, the first of them where there are several;
// empty: none.
std::string_view broker_synonym_of_topic_config(std::string_view name);

struct EffectiveConfig {
  std::optional<std::string> value;
  ConfigSource source = ConfigSource::default_value;
};
// Topic's own value, else the broker key's (this node's records, the cluster's, this node's file, in that
// order; hours and minutes turned into milliseconds), else the default. Values as they were given.
// `topic` may be null: no own values.
EffectiveConfig effective_topic_config(const ConfigKey& key, const ConfigMap* topic, const BrokerLayers& layers);

// Whether `proposed`, as the complete set of a topic's explicit values, may take the place of `existing`
// (null: none). The text says why not (INVALID_CONFIG).
std::optional<std::string> validate_topic_configs(const ConfigMap& proposed, const ConfigMap* existing,
                                                  const BrokerLayers& layers);

// What elections need of a topic's configs; looked up per topic, the cluster's part once per operation.
class ElectionConfigs {
 public:
  explicit ElectionConfigs(const BrokerLayers& layers);
  // min.insync.replicas, not bounded by the replication factor; at least 1.
  std::int32_t min_insync_replicas(const ConfigMap* topic) const;
  // unclean.leader.election.enable
  bool unclean_election_enabled(const ConfigMap* topic) const;

 private:
  std::int32_t min_insync_replicas_;
  bool unclean_election_enabled_;
};

// min.insync.replicas as this node's file has it (or the default): what the cluster gets when ELR is
// switched on and no cluster-wide value is stored.
std::int32_t static_min_insync_replicas(const BrokerLayers& layers);

}  // namespace hayward::core

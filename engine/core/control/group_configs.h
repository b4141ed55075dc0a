// Group configs: keys, defaults taken from broker keys, and the bounds that broker keys set.
// Owner: engine/core/control; constant data and pure functions. Shard 0.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/control/broker_configs.h"
#include "engine/core/control/config_def.h"

namespace hayward::core {

// Sorted by name.
std::span<const ConfigKey> group_config_keys();
// The broker key whose value is this group key's default; empty: none.
std::string_view broker_synonym_of_group_config(std::string_view name);
// The group's own value, else the node's value of the broker key, else the default.
std::string effective_group_config(const ConfigKey& key, const ConfigMap* group, const BrokerLayers& layers);

// Whether `proposed` may be a group's complete set of explicit values. The text says why not
// (INVALID_CONFIG).
std::optional<std::string> validate_group_configs(const ConfigMap& proposed, const BrokerLayers& layers);

}  // namespace hayward::core

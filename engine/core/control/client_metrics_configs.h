// Client-metrics subscriptions (KIP-714): keys and checks.
// Owner: engine/core/control; constant data and pure functions. Shard 0.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/core/control/config_def.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// Sorted by name.
std::span<const ConfigKey> client_metrics_config_keys();

struct ConfigFault {
  ErrorCode code;
  std::string text;
};
// Whether `proposed` may be a subscription's complete set of values. Kafka answers INVALID_REQUEST for an
// unknown key and an interval out of bounds, INVALID_CONFIG for the rest.
std::optional<ConfigFault> validate_client_metrics_configs(const ConfigMap& proposed);

}  // namespace hayward::core

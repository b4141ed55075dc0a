// Configs: look-ups and the exchange.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/configs.h"

#include "engine/core/image/exchange.h"

namespace hayward::core {

const ConfigMap& Configs::of(ConfigResourceType type, std::string_view name) const {
  static const ConfigMap none;
  const auto at = configs_.find(ConfigResource{type, std::string(name)});
  return at == configs_.end() ? none : at->second;
}

const std::string* Configs::value(ConfigResourceType type, std::string_view name, std::string_view key) const {
  const ConfigMap& configs = of(type, name);
  const auto at = configs.find(key);
  return at == configs.end() ? nullptr : &at->second;
}

void Configs::exchange(const ConfigResource& resource, const std::string& key, std::optional<std::string>& other) {
  exchange_inner_entry(configs_, resource, key, other);
}

}  // namespace hayward::core

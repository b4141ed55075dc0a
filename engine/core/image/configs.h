// Dynamic configs: what ConfigRecords have set, by resource. Values only; what a key means and its
// defaults belong to control/.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hayward::core {

// Kafka's ConfigResource type ids as records store them.
enum class ConfigResourceType : std::int8_t { topic = 2, broker = 4, client_metrics = 16, group = 32 };

struct ConfigResource {
  ConfigResourceType type = ConfigResourceType::topic;
  std::string name;  // "": the default of that type
  friend auto operator<=>(const ConfigResource&, const ConfigResource&) = default;
};

using ConfigMap = std::map<std::string, std::string, std::less<>>;

// Whether this version knows `key` for resources of `type` (raw id); records with others are passed over
// on replay, as Kafka does. BROKER keys are never filtered.
bool is_supported_config(std::int8_t type, std::string_view key);

class Configs {
 public:
  // Ascending by type and name; none empty.
  const std::map<ConfigResource, ConfigMap>& all() const { return configs_; }
  // Empty for a resource without configs.
  const ConfigMap& of(ConfigResourceType type, std::string_view name) const;
  // nullptr: not set on that resource itself.
  const std::string* value(ConfigResourceType type, std::string_view name, std::string_view key) const;

  // Exchanges what is there for what is given, which is also how it is undone.
  void exchange(const ConfigResource& resource, const std::string& key, std::optional<std::string>& other);

 private:
  std::map<ConfigResource, ConfigMap> configs_;
};

}  // namespace hayward::core

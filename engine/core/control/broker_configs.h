// Broker (server.properties) keys as the controller sees them: their description, and the value that
// this node has now, out of the dynamic layers and its own file.
// Owner: engine/core/control; constant data and pure functions over the image's maps. Shard 0.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/config_def.h"

namespace hayward::core {

struct BrokerKey {
  enum class Kind : std::uint8_t {
    fixed,     // read at start only
    dynamic,   // a ConfigRecord changes it while running
    internal,  // fixed, and not shown unless set
  };
  std::string_view name;
  ConfigType type = ConfigType::unknown;
  std::optional<std::string_view> default_value;  // canonical text; nullopt: none, or required
  Kind kind = Kind::fixed;
};

// Sorted by name.
std::span<const BrokerKey> broker_config_keys();
const BrokerKey* find_broker_key(std::string_view name);

// The layers a broker value is looked up in, highest first; a null layer is empty.
struct BrokerLayers {
  const ConfigMap* own_node = nullptr;                          // ConfigRecords for this node's id
  const ConfigMap* cluster_default = nullptr;                   // ConfigRecords for all nodes (resource name "")
  const std::map<std::string, std::string>* statics = nullptr;  // NodeConfig::static_configs
};

// What `name` is set to, layer by layer, defaults left out.
struct BrokerSetting {
  std::string_view value;
  ConfigSource source;
};
std::vector<BrokerSetting> broker_settings(const BrokerLayers& layers, std::string_view name);

// The effective value as it was given (or the default); nullopt: none. A dynamic record about a key that
// is fixed has no effect.
std::optional<std::string_view> broker_value(const BrokerLayers& layers, std::string_view name);
// The same as an integer; 0 for what is none or not a number.
std::int64_t broker_integer(const BrokerLayers& layers, std::string_view name);
bool broker_boolean(const BrokerLayers& layers, std::string_view name);

// The type of a broker key, of a listener's override of one (listener.name.<listener>.<key>) or of the
// keys that exist only as dynamic ones; unknown for anything else.
ConfigType broker_config_type(std::string_view name);
// Keys whose value counts for `name` too, in order, `name` itself included (log.roll.ms and
// log.roll.hours, a listener's override and its base key).
std::vector<std::string_view> broker_config_synonyms(std::string_view name);
// Never shown: passwords, and whatever has no known type.
inline bool is_sensitive(ConfigType type) { return type == ConfigType::password || type == ConfigType::unknown; }

}  // namespace hayward::core

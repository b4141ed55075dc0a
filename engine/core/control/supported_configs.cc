// The answer to the image's question (configs.h) which keys this version knows: those of the tables here. A key that
// is gone from them may still be in an old log.
// Owner: engine/core/control; constant data. Any shard.
#include "engine/core/control/client_metrics_configs.h"
#include "engine/core/control/config_def.h"
#include "engine/core/control/group_configs.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/configs.h"

namespace hayward::core {

bool is_supported_config(std::int8_t type, std::string_view key) {
  switch (static_cast<ConfigResourceType>(type)) {
    case ConfigResourceType::topic:
      return find_key(topic_config_keys(), key) != nullptr;
    case ConfigResourceType::broker:
      return true;
    case ConfigResourceType::client_metrics:
      return find_key(client_metrics_config_keys(), key) != nullptr;
    case ConfigResourceType::group:
      return find_key(group_config_keys(), key) != nullptr;
  }
  return false;
}

}  // namespace hayward::core

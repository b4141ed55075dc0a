// The keys of server.properties as the controller describes and looks them up; the table is broker_config_keys.inc.
// Owner: engine/core/control; constant data. Any shard.
#include <array>

#include "engine/core/control/broker_configs.h"

namespace hayward::core {
namespace {

constexpr std::nullopt_t none = std::nullopt;

#define KEY(name, type, value, kind, valid, use) BrokerKey{name, ConfigType::type, value, BrokerKey::Kind::kind},
constexpr auto keys = std::to_array<BrokerKey>({
#include "engine/core/control/broker_config_keys.inc"
});
#undef KEY

}  // namespace

std::span<const BrokerKey> broker_config_keys() { return keys; }

}  // namespace hayward::core

// See route.h.
#include "engine/host/driver/route.h"

#include "engine/core/lease/lease_mail.h"
#include "engine/core/lease/owner.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/runtime/reader.h"

namespace hayward::driver {

std::optional<std::uint16_t> owner_of(const core::Request& request, std::uint16_t here, std::uint16_t shards) {
  const bool of_broker = request.api_key == core::broker_heartbeat_api_key ||
                         request.api_key == messages::BrokerRegistrationRequest::api_key;
  if (!of_broker || shards <= 1) return std::nullopt;
  Reader reader(request.body);
  const NodeId broker{reader.read_i32()};  // both begin with it, in every version
  if (!reader.ok()) return std::nullopt;   // the handler will refuse it
  const std::uint16_t owner = core::owner_shard(broker, shards);
  if (owner == here) return std::nullopt;
  return owner;
}

}  // namespace hayward::driver

// See lease_mail.h.
#include "engine/core/lease/lease_mail.h"

#include "schemas/runtime/reader.h"

namespace hayward::core {

std::optional<HeartbeatHead> read_heartbeat_head(Bytes body) {
  Reader reader(body);
  HeartbeatHead head;
  head.broker.id = NodeId{reader.read_i32()};
  head.broker.epoch = BrokerEpoch{reader.read_i64()};
  head.metadata_offset = Offset{reader.read_i64()};
  if (!reader.ok()) return std::nullopt;
  return head;
}

void touch_lease(LeaseTable& leases, ClusterAccess& access, const Request& request, Offset log_end) {
  if (request.api_key != broker_heartbeat_api_key || !access.allows(request.client_address)) return;
  const std::optional<HeartbeatHead> head = read_heartbeat_head(request.body);
  if (head) leases.touch(head->broker, head->metadata_offset, log_end, request.arrival);
}

bool apply_lease_order(LeaseTable& leases, ClusterAccess& access, const Effect& effect) {
  if (const auto* reset = std::get_if<ResetLeases>(&effect)) {
    leases.reset(reset->controller_epoch);
  } else if (const auto* grant = std::get_if<GrantLease>(&effect)) {
    leases.grant(grant->broker, grant->recorded, grant->from);
  } else if (const auto* drop = std::get_if<DropLease>(&effect)) {
    leases.drop(drop->broker);
  } else if (const auto* published = std::get_if<PublishClusterAccess>(&effect)) {
    access.replace(published->rules);
  } else {
    return false;
  }
  return true;
}

}  // namespace hayward::core

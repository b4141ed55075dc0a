// BrokerRegistration (62): a broker announces a new incarnation of itself, or amends what it said before.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>

#include "engine/core/control/broker_states.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/context.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"

namespace hayward::core {

struct RegisterBrokerOutcome {
  messages::BrokerRegistrationResponse response;
  bool new_incarnation = false;  // then the node calls BrokerStates::forget
  // What must be done before, in slices: the broker is refused meanwhile (duplicate_broker_registration) and comes again.
  BrokerWorkKind work = BrokerWorkKind::none;
  BrokerEpoch previous_epoch = no_broker_epoch;
};

// Checks in Kafka's order; on success clean-up of the old incarnation first, the RegisterBrokerRecord last.
// Errors: inconsistent_cluster_id, duplicate_broker_registration (another incarnation holds a lease, or leaves its partitions still),
// broker_id_not_registered (a ZooKeeper broker), invalid_registration, unsupported_version (features),
// invalid_request (a negative id). Where the Java controller fails over (an unknown security protocol) or lets a
// negative id in, this one refuses. `kraft_version` is the finalized one, which raft keeps.
RegisterBrokerOutcome register_broker(const HandlerContext& context, const BrokerStates& states,
                                      std::int16_t kraft_version, const messages::BrokerRegistrationRequest& request,
                                      RecordList& records);

}  // namespace hayward::core

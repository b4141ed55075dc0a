// BrokerHeartbeat (63): a broker says how far it has read the metadata log and what it wants; the answer
// says what it is. The state machine of fencing and controlled shutdown (Kafka's BrokerHeartbeatManager).
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/control/broker_states.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/context.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"

namespace hayward::core {

struct HeartbeatOutcome {
  messages::BrokerHeartbeatResponse response;
  std::optional<BrokerStateUpdate> update;  // nullopt with an error; else the node gives it to BrokerStates::apply
  BrokerWorkKind work = BrokerWorkKind::none;  // what remains to be done for the broker, in slices
  std::vector<DirectoryId> lost_directories{};  // which partitions are to leave in slices, too
};

// Error: stale_broker_epoch (not registered, or another epoch). A heartbeat whose metadata offset is below
// the one recorded for its broker epoch changes nothing and is answered from present state; so is one of a
// broker that is being fenced or drained, whose offset is recorded all the same.
HeartbeatOutcome broker_heartbeat(const HandlerContext& context, const BrokerStates& states,
                                  const messages::BrokerHeartbeatRequest& request, RecordList& records);

// A heartbeat that has waited too long to be acted on (it is answered request_timed_out): it is contact all the
// same, and its offset is recorded. nullopt: its broker epoch is not registered.
std::optional<BrokerStateUpdate> note_late_heartbeat(const HandlerContext& context, const BrokerStates& states,
                                                     const messages::BrokerHeartbeatRequest& request);

}  // namespace hayward::core

// See unregister_broker.h.
#include "engine/core/control/unregister_broker.h"

#include <string>

#include "engine/core/control/broker_transitions.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"

namespace hayward::core {
UnregisterBrokerOutcome unregister_broker(const HandlerContext& context,
                                          const messages::UnregisterBrokerRequest& request, RecordList& records) {
  UnregisterBrokerOutcome outcome;
  const BrokerRegistration* broker = context.image.cluster().broker(request.broker_id);
  if (broker == nullptr) {
    const std::string id = std::to_string(request.broker_id.value);
    outcome.response.error_code = ErrorCode::broker_id_not_registered;
    outcome.response.error_message = context.arena.copy("Broker ID " + id + " is not currently registered");
    return outcome;
  }
  outcome.response.error_message = "";
  const BrokerIncarnation incarnation{broker->id, broker->epoch};
  if (!fits_one_slice(context, context.image.topics().in_isr_of(broker->id).size())) {
    outcome.in_slices = incarnation;
    return outcome;
  }
  // It stays in ELRs, as with Kafka: only a registration says whether it stopped cleanly.
  leave_all_isrs(context, {&incarnation.id, 1}, records);
  add_unregister_record(incarnation, records);
  return outcome;
}

}  // namespace hayward::core

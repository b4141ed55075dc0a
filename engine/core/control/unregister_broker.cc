// See unregister_broker.h.
#include "engine/core/control/unregister_broker.h"

#include <string>

#include "engine/core/control/broker_transitions.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::core {
namespace {

messages::UnregisterBrokerResponse refuse(ErrorCode error, std::string_view message) {
  messages::UnregisterBrokerResponse response;
  response.error_code = error;
  response.error_message = message;
  return response;
}

}  // namespace

messages::UnregisterBrokerResponse unregister_broker(const HandlerContext& context,
                                                     const messages::UnregisterBrokerRequest& request,
                                                     RecordList& records) {
  const BrokerRegistration* broker = context.image.cluster().broker(request.broker_id);
  if (broker == nullptr) {
    const std::string id = std::to_string(request.broker_id.value);
    return refuse(ErrorCode::broker_id_not_registered,
                  context.arena.copy("Broker ID " + id + " is not currently registered"));
  }
  const std::size_t before = records.size();
  // It stays in ELRs, as with Kafka: only a registration says whether it stopped cleanly.
  leave_all_isrs(context, {&broker->id, 1}, records);
  records::UnregisterBrokerRecord record;
  record.broker_id = broker->id;
  record.broker_epoch = broker->epoch;
  records.add(record);
  if (records.size() - before > max_records_per_user_operation) {
    records.truncate(before);
    return refuse(ErrorCode::policy_violation, "Unable to perform excessively large batch operation.");
  }
  messages::UnregisterBrokerResponse response;
  response.error_message = "";
  return response;
}

}  // namespace hayward::core

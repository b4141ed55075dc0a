// See register_broker.h.
#include "engine/core/control/register_broker.h"

#include "engine/core/control/broker_transitions.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/registration_checks.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"
#include "schemas/records/register_broker_record.h"

namespace hayward::core {
namespace {

using messages::BrokerRegistrationRequest;
using records::RegisterBrokerRecord;

// The previous broker epoch is told from version 3 on.
constexpr std::int16_t first_version_with_previous_epoch = 3;

ErrorCode check(const HandlerContext& context, const BrokerStates& states, std::int16_t kraft_version,
                const BrokerRegistrationRequest& request, MetadataVersion version) {
  if (request.cluster_id != context.config.cluster_id) return ErrorCode::inconsistent_cluster_id;
  if (request.broker_id < NodeId{0}) return ErrorCode::invalid_request;
  const BrokerRegistration* existing = context.image.cluster().broker(request.broker_id);
  // L7: another incarnation waits until the lease of this one has run out, and it has left its partitions.
  if (existing != nullptr && existing->incarnation_id != request.incarnation_id &&
      (states.has_lease({existing->id, existing->epoch}) || is_changing(context, existing->id))) {
    return ErrorCode::duplicate_broker_registration;
  }
  if (request.is_migrating_zk_broker) return ErrorCode::broker_id_not_registered;
  if (version.directory_assignment()) {
    if (const ErrorCode error = check_log_dirs(context.image.cluster(), request); error != ErrorCode::none) return error;
  }
  if (const ErrorCode error = check_listeners(request); error != ErrorCode::none) return error;
  return check_features(context.image.features(), kraft_version, request);
}

RegisterBrokerRecord make_record(Arena& arena, const BrokerRegistrationRequest& request, MetadataVersion version) {
  RegisterBrokerRecord record;
  record.broker_id = request.broker_id;
  record.incarnation_id = request.incarnation_id;
  record.rack = request.rack;
  copy_listeners(arena, request.listeners, record.end_points);
  copy_features(arena, request.features, record.features);
  if (version.directory_assignment()) record.log_dirs = request.log_dirs;
  return record;
}

// A restart counts as clean when the broker names the epoch that it had when it stopped.
bool was_shut_down_cleanly(const HandlerContext& context, const BrokerRegistration* existing,
                           const BrokerRegistrationRequest& request) {
  return context.request.api_version >= first_version_with_previous_epoch && existing != nullptr &&
         existing->epoch == request.previous_broker_epoch;
}

}  // namespace

RegisterBrokerOutcome register_broker(const HandlerContext& context, const BrokerStates& states,
                                      std::int16_t kraft_version, const BrokerRegistrationRequest& request,
                                      RecordList& records) {
  RegisterBrokerOutcome outcome;
  outcome.response.error_code = check(context, states, kraft_version, request, records.metadata_version());
  if (outcome.response.error_code != ErrorCode::none) return outcome;

  const BrokerRegistration* existing = context.image.cluster().broker(request.broker_id);
  RegisterBrokerRecord record = make_record(context.arena, request, records.metadata_version());
  outcome.new_incarnation = existing == nullptr || existing->incarnation_id != request.incarnation_id;
  if (outcome.new_incarnation) {
    record.broker_epoch = BrokerEpoch{context.next_offset.value};  // C8: rises with the log
    const bool clean = was_shut_down_cleanly(context, existing, request);
    outcome.work = clean_up_incarnation(context, request.broker_id, clean, records);
    if (outcome.work != BrokerWorkKind::none) {
      if (existing != nullptr) outcome.previous_epoch = existing->epoch;
      outcome.new_incarnation = false;
      outcome.response.error_code = ErrorCode::duplicate_broker_registration;
      return outcome;
    }
  } else {
    record.broker_epoch = existing->epoch;
    record.fenced = existing->fenced;
    record.in_controlled_shutdown = existing->in_controlled_shutdown;
  }
  records.add(record);
  outcome.response.broker_epoch = record.broker_epoch;
  return outcome;
}

}  // namespace hayward::core

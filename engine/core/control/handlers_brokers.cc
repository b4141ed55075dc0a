// See handlers.h: brokers' life and the cluster.
// Owner: engine/core/control. Shard 0.
#include "engine/core/control/broker_heartbeat.h"
#include "engine/core/control/controller_registration.h"
#include "engine/core/control/describe_cluster.h"
#include "engine/core/control/handlers.h"
#include "engine/core/control/register_broker.h"
#include "engine/core/control/unregister_broker.h"

namespace hayward::core {
namespace {

using namespace messages;

// An answer about a broker's state has nothing to wait for while no change of any broker is uncommitted:
// a steady heartbeat does not wait behind other writes.
void release_if_brokers_settled(const HandlerCall& call, Outcome& outcome) {
  if (call.records.empty() && call.node.broker_change_end <= call.node.high_watermark()) {
    outcome.wait = Outcome::Wait::nothing;
  }
}

void note_broker_change(HandlerCall& call) {
  if (!call.records.empty()) call.node.broker_change_end = call.node.log.end();
}

}  // namespace

Outcome handle_broker_registration(HandlerCall& call) {
  return decoded_if_active<BrokerRegistrationRequest>(call, [&](const BrokerRegistrationRequest& request) {
    const RegisterBrokerOutcome decided =
        register_broker(call.handler(), call.node.brokers, call.node.voters.kraft_version(), request, call.records);
    Outcome outcome = conclude(call, request, decided.response);
    if (decided.new_incarnation) call.node.brokers.forget(request.broker_id, call.out);
    call.node.broker_work.add(decided.work, {request.broker_id, decided.previous_epoch});
    note_broker_change(call);
    return outcome;
  });
}

Outcome handle_broker_heartbeat(HandlerCall& call) {
  return decoded_if_active<BrokerHeartbeatRequest>(call, [&](const BrokerHeartbeatRequest& request) {
    // Its lease has been renewed as it arrived (touch first).
    if (is_late(call, call.node.config.broker_heartbeat_interval_ms / 2)) {
      const auto update = note_late_heartbeat(call.handler(), call.node.brokers, request);
      if (update) call.node.brokers.apply(*update, call.out);
      return refuse_call(call, request, ErrorCode::request_timed_out);
    }
    const HeartbeatOutcome decided = broker_heartbeat(call.handler(), call.node.brokers, request, call.records);
    Outcome outcome = conclude(call, request, decided.response);
    if (decided.update) call.node.brokers.apply(*decided.update, call.out);
    const BrokerIncarnation broker{request.broker_id, request.broker_epoch};
    call.node.broker_work.add(decided.work, broker);
    call.node.broker_work.lose_directories(broker, decided.lost_directories);
    note_broker_change(call);
    release_if_brokers_settled(call, outcome);
    return outcome;
  });
}

Outcome handle_unregister_broker(HandlerCall& call) {
  return decoded_if_active<UnregisterBrokerRequest>(call, [&](const UnregisterBrokerRequest& request) {
    const UnregisterBrokerOutcome decided = unregister_broker(call.handler(), request, call.records);
    Outcome outcome = conclude(call, request, decided.response);
    if (decided.in_slices) {
      outcome.until_unregistered = decided.in_slices;
      call.node.broker_work.add(BrokerWorkKind::unregister, *decided.in_slices);
    } else if (decided.response.error_code == ErrorCode::none) {
      call.node.brokers.forget(request.broker_id, call.out);
    }
    note_broker_change(call);
    return outcome;
  });
}

Outcome handle_controller_registration(HandlerCall& call) {
  return decoded_if_active<ControllerRegistrationRequest>(call, [&](const ControllerRegistrationRequest& request) {
    const ControllerRegistrationResponse response = controller_registration(call.handler(), request, call.records);
    return conclude(call, request, response);
  });
}

Outcome handle_describe_cluster(HandlerCall& call) {
  return decoded<DescribeClusterRequest>(call, [&](const DescribeClusterRequest& request) {
    Outcome later;
    later.wait = Outcome::Wait::for_leader;
    if (waits_for_leader(call.node, call.context.arrival, call.now.mono)) return later;
    const DescribeClusterResponse response = describe_cluster(call.handler(), request, call.node.quorum.leader());
    return encode_outcome(call, response, is_error(response) ? Outcome::Wait::nothing : Outcome::Wait::for_pending);
  });
}

}  // namespace hayward::core

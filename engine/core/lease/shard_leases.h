// One shard's whole part in the brokers' life: their leases, the steady heartbeats, and the rule that no lease runs out
// while input may still wait to be reaped. The host calls it in this order in each turn of the shard's loop:
//   begin_turn(now)     before anything else; then it carries out the orders that have come by mail;
//   touch(request)      for each request as it is reaped, before anything may queue;
//   answer(request)     when it is the request's turn on its connection: nullptr sends it to the controller, behind
//                       take_contacts();
//   end_turn(...)       after everything that was there has been handled; its mail goes to the controller.
// Between turns the loop must not wait while draining(), nor beyond next_wake().
// Owner: the shard. Any shard.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/time.h"
#include "engine/core/authorizer/cluster_access.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/lease/lease_table.h"
#include "engine/core/lease/steady_heartbeats.h"

namespace hayward::core {

class ShardLeases {
 public:
  // broker.session.timeout.ms and controller.quorum.fetch.timeout.ms.
  ShardLeases(std::int64_t session_timeout_ms, std::int64_t fetch_timeout_ms, MonoTime now);
  ShardLeases(const ShardLeases&) = delete;
  ShardLeases& operator=(const ShardLeases&) = delete;

  // More than 0: this shard stood still for so many ns, and every deadline has been moved by as much.
  std::int64_t begin_turn(MonoTime now);
  // Whether heartbeats from there count at all (CLUSTER_ACTION).
  bool allows(const ClientAddress& address) { return access_.allows(address); }
  // `log_end`: the end (exclusive) of the metadata log as this shard knows it.
  void touch(const Request& request, Offset log_end);
  // The same for a heartbeat that reached another shard, which has asked whether it counts.
  void touch(BrokerIncarnation broker, Offset metadata_offset, Offset log_end, MonoTime arrival) {
    leases_.touch(broker, metadata_offset, log_end, arrival);
  }
  const SteadyHeartbeats::Answer* answer(const Request& request, MonoTime now) {
    return access_.allows(request.client_address) ? steady_.answer(request, now) : nullptr;
  }
  // Carries out an order of the controller; false: `effect` is none.
  bool apply(const Effect& effect);

  struct Mail {
    std::optional<BrokerContacts> contacts;
    std::optional<LeasesExpired> expired;
  };
  // `completions`: how many this turn handled.
  Mail end_turn(unsigned completions, MonoTime now);
  std::optional<BrokerContacts> take_contacts() { return leases_.take_contacts(); }

  // The controller's last sign of life still counts.
  bool controller_lives(MonoTime now) const { return steady_.controller_lives(now); }
  bool draining() const { return drain_until_.has_value(); }
  MonoTime next_wake() const { return leases_.next_wake(); }
  const LeaseTable& leases() const { return leases_; }
  const SteadyHeartbeats& steady() const { return steady_; }

 private:
  LeaseTable leases_;
  SteadyHeartbeats steady_;
  ClusterAccess access_;
  MonoTime turn_at_;
  std::int64_t drain_limit_ns_;
  std::int64_t long_turn_ns_;            // a turn that took longer has let input queue up
  std::optional<MonoTime> drain_until_;  // no lease runs out before queued input is drained (L4)
  MonoTime told_;                        // when contacts were last mailed
};

}  // namespace hayward::core

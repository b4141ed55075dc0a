// Answers the heartbeats that change nothing: from what the controller has published, without it. Everything else is
// its own to answer. Steady is a heartbeat of a broker that holds a lease here, whose published state stands (committed,
// nothing decided), that asks for no change of it, and tells of no directory that is not recorded; while
// the controller shows life. Whether its sender may do CLUSTER_ACTION has been asked before. It must have renewed its lease before (touch first), which
// also says that the controller is active in the epoch that this shard knows: a reset takes all leases away.
// Owner: the shard that owns the brokers. Any shard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/lease/lease_table.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class SteadyHeartbeats {
 public:
  // Response header and body, the same size in every version.
  using Answer = std::array<std::byte, 15>;

  // `life_ns`: how long a sign of life counts (controller.quorum.fetch.timeout.ms).
  SteadyHeartbeats(const LeaseTable& leases, std::int64_t life_ns);

  // The answer to a steady heartbeat, valid until the next call; nullptr: `request` is the controller's. Nothing is
  // allocated.
  const Answer* answer(const Request& request, MonoTime now);

  void publish(const PublishBroker& state) { published_.insert_or_assign(state.broker.id, state); }
  void withdraw(NodeId broker) { published_.erase(broker); }
  void show_life(MonoTime at) { alive_at_ = at; }
  bool controller_lives(MonoTime now) const { return now - alive_at_ <= life_ns_; }
  // The controller's leases are reset.
  void reset();

  std::uint64_t answered() const { return answered_; }

 private:
  bool is_steady(const messages::BrokerHeartbeatRequest& heartbeat, const PublishBroker& state) const;

  const LeaseTable& leases_;
  std::int64_t life_ns_;
  MonoTime alive_at_;
  std::unordered_map<NodeId, PublishBroker> published_;  // looked up, never walked
  Arena arena_;
  Answer answer_{};
  std::uint64_t answered_ = 0;
};

}  // namespace hayward::core

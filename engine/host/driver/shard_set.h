// The other shards, as the controller's shard sees them: where orders, answers and connections go, and what comes from
// them. Also the NetPort of the driver: answers go to the shard that has the connection.
// Owner: the controller's shard. Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/authorizer/cluster_access.h"
#include "engine/core/effect.h"
#include "engine/core/lease/heard_here.h"
#include "engine/host/driver/driver_settings.h"
#include "engine/host/driver/mail.h"
#include "engine/host/driver/ports.h"

namespace hayward::driver {

class ShardSet final : public NetPort {
 public:
  struct Other {
    ShardLink& link;
    std::function<void()> wake;
  };
  // `others`: shards 1, 2 ... `log_end` is kept for them.
  ShardSet(const Settings& settings, std::vector<Other> others, SharedLogEnd& log_end);
  // The net of this shard.
  void attach(NetPort& net) { net_ = &net; }

  // Sends a lease order to its shard, or to all, and what is committed to all; false: `effect` is none of these. An Append
  // is kept for when it is committed.
  bool order(const core::Effect& effect);
  void set_log_end(Offset end) { log_end_.store(end.value, std::memory_order_relaxed); }
  // A heartbeat that reached this shard.
  void touch(const core::Request& request);
  void hand_over(Handover&& handover);
  // Which other shard the connection of `request` belongs to, if it is not this one: a broker's that of its lease.
  std::optional<std::uint16_t> owner_of(const core::Request& request) const;

  // What is left for the driver; connections and touches have gone their ways.
  struct Receiver {
    std::function<void(core::Event)> event;
    std::function<void(const core::Request&)> request;
  };
  // Takes what the others have mailed; as the turn begins. Expired leases are held back, and what is mailed behind them.
  void receive(MonoTime now, const Receiver& to);
  // Expiries wait until this shard has handled everything that was there when they came: it may hold a heartbeat.
  bool holds_expired() const;
  // There is mail.
  bool has_mail() const;
  // At the end of a turn that handled so many completions: the expiries that have waited enough, without the brokers that
  // were heard here meanwhile, whose leases are granted again.
  std::vector<core::LeasesExpired> take_expired(unsigned completions, MonoTime now);
  // At the end of a turn. False: something still waits for room; try again in a moment.
  bool flush();

  // NetPort
  void reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) override;
  void reply_small(core::ConnectionId connection, Bytes bytes) override { net_->reply_small(connection, bytes); }
  void reply_with_slice(core::ConnectionId connection, Buffer head, LogSlice slice, Buffer tail,
                        bool compact_length) override;
  void close_connection(core::ConnectionId connection, const std::string& reason) override;
  void adopt(Handover&& handover) override { hand_over(std::move(handover)); }
  void handed_over_ended(const core::ClientAddress& address) override { net_->handed_over_ended(address); }
  // Of all shards.
  void stop(std::function<void()> done) override;

 private:
  // The first expiry from a shard that has not been passed on: nothing behind it is looked at.
  struct Held {
    MailedExpiry mail;
    bool fresh = true;  // the turn in which it came does not count
    bool drain = false;  // we may have stood still: until nothing more comes in, or
    MonoTime until;
  };

  using Sender = Outbox<ToShard>;
  Sender& sender(std::uint16_t shard) { return *outboxes_[shard - 1u]; }
  Sender& owner(NodeId broker);
  void to_all(const core::Effect& effect);
  void publish_log(const core::PublishLog& news);
  void receive_one(ToController& mail, const Receiver& to, std::optional<Held>& held, MonoTime now);
  void touch(const Touch& touch);
  void net_stopped();

  const Settings settings_;
  std::vector<Other> others_;
  std::vector<std::unique_ptr<Sender>> outboxes_;
  SharedLogEnd& log_end_;
  NetPort* net_ = nullptr;
  core::ClusterAccess access_;  // whose heartbeats count
  core::HeardHere heard_;
  std::shared_ptr<const core::LeaderFacts> leader_;  // as published; null: this node does not lead
  std::deque<BatchPtr> uncommitted_;                 // appended since it is published
  std::vector<std::optional<Held>> held_;  // by others_
  MonoTime last_turn_end_{};
  std::size_t nets_running_ = 0;
  std::function<void()> stopped_;
};

}  // namespace hayward::driver

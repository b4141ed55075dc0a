// One shard beside the controller's, in simulated time: the real LeaseShard on a port that is only a clock, with
// connections that are only names, and mail that is seeded time on its way in both directions, in order.
// Owner: SimController.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "engine/base/prng.h"
#include "engine/host/driver/lease_shard.h"
#include "sim_clock_port.h"

namespace hayward::sim {

// What a shard does that others see; connections are named as when they were accepted.
struct ShardWatch {
  std::function<void(std::uint16_t shard, std::int64_t stall_ns)> turn;
  std::function<void(std::uint16_t shard, const core::Request& request)> arrived;
  std::function<void(const core::LeasesExpired& mail)> mailed;
  std::function<void(core::ConnectionId connection, Bytes frame)> replied;
  std::function<void(core::ConnectionId connection)> closed;
  std::function<void(std::uint32_t slot)> adopted;
};

class SimShard final : private driver::NetPort {
 public:
  // `near`: the controller's end of its link.
  SimShard(const driver::Settings& settings, std::uint16_t index, driver::ShardLink& near,
           const driver::SharedLogEnd& log_end, std::uint64_t seed, const ShardWatch& watch, std::int64_t now_ns);
  ~SimShard() override = default;

  // A request frame on one of its connections; nullopt: the peer is gone.
  void deliver(std::uint32_t slot, std::optional<Buffer> frame);
  void pause(std::int64_t until_ns) { paused_until_ns_ = until_ns; }

  // Moves mail whose time has come, and turns the shard's loop if there is anything to do.
  void run(std::int64_t now_ns);
  std::int64_t next_wake_ns() const;
  const core::ShardLeases& leases() const { return shard_->leases(); }
  const core::ObserverFetches& fetches() const { return shard_->fetches(); }

 private:
  template <class Mail>
  struct Courier {
    std::deque<std::pair<std::int64_t, Mail>> under_way;
    void take(shard::Mailbox<Mail>& from, std::int64_t now_ns, Prng& prng);
    bool give(shard::Mailbox<Mail>& to, std::int64_t now_ns);
    std::int64_t next_ns() const { return under_way.empty() ? INT64_MAX : under_way.front().first; }
  };

  void take_in(core::ConnectionId connection, Bytes frame, MonoTime arrival, bool announce);
  core::ConnectionId here(std::uint32_t slot) const { return {.slot = slot, .generation = 1, .shard = index_}; }
  static core::ConnectionId accepted(core::ConnectionId connection) { return {connection.slot, 1, 0}; }

  void reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) override;
  void reply_small(core::ConnectionId connection, Bytes bytes) override;
  void reply_with_slice(core::ConnectionId connection, Buffer head, driver::LogSlice slice, Buffer tail,
                        bool compact_length) override;
  void close_connection(core::ConnectionId connection, const std::string& reason) override;
  void adopt(driver::Handover&& handover) override;
  void handed_over_ended(const core::ClientAddress&) override {}
  void stop(std::function<void()> done) override { done(); }

  const std::uint16_t index_;
  driver::ShardLink& near_;
  driver::ShardLink far_;
  Prng prng_;
  const ShardWatch& watch_;
  ClockPort port_;
  std::unique_ptr<driver::LeaseShard> shard_;
  driver::NetEvents events_;
  Courier<driver::ToShard> in_;
  Courier<driver::ToController> out_;
  std::int64_t paused_until_ns_ = 0;
  bool turn_again_ = false;  // it has mail, or drains
};

// Header and body of a request frame; nullopt: not served, the connection ends. Views into `frame`.
std::optional<core::Request> read_request(core::ConnectionId connection, Bytes frame, MonoTime arrival);
// head, the slice's length, the slice, tail.
Buffer joined(const Buffer& head, Bytes slice, const Buffer& tail, bool compact_length);

}  // namespace hayward::sim

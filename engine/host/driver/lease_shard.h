// A shard beside the controller's: its brokers' leases, their steady heartbeats, their fetches, their connections. What it
// cannot answer itself goes to the controller by mail, and the answer comes back the same way.
// Owner: the shard's thread, on which everything is called; made and destroyed by the main thread, before and after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/core/event.h"
#include "engine/core/lease/shard_leases.h"
#include "engine/core/observers/observer_fetches.h"
#include "engine/host/driver/driver_settings.h"
#include "engine/host/driver/mail.h"
#include "engine/host/driver/ports.h"
#include "engine/host/ring/deadline_timer.h"
#include "engine/host/ring/ring.h"

namespace hayward::driver {

class LeaseShard {
 public:
  // `index` >= 1 of `settings.shards`. `wake_controller` ends the controller shard's waiting.
  LeaseShard(ring::Port& port, const Settings& settings, std::uint16_t index, ShardLink& link,
             const SharedLogEnd& log_end, std::function<void()> wake_controller, LogLine log_line);
  LeaseShard(const LeaseShard&) = delete;
  LeaseShard& operator=(const LeaseShard&) = delete;

  // For the net, which is made after it; and then the net itself.
  NetEvents net_events();
  void attach(NetPort& net) { net_ = &net; }

  // One turn of the loop; waits for completions or a wake if there is nothing to do and `wait`.
  void run_once(bool wait);

  const core::ShardLeases& leases() const { return leases_; }
  const core::ObserverFetches& fetches() const { return fetches_; }

 private:
  MonoTime now() const { return {port_.now_ns()}; }
  Offset log_end() const { return Offset{log_end_.load(std::memory_order_relaxed)}; }
  void begin_turn();
  void end_turn(unsigned completions);
  void on_arrived(const core::Request& request);
  void on_request(const core::Request& request);
  void receive(ToShard& mail);
  void carry_out(core::Effect& effect);
  void answer_due_fetches();
  void tell_of_observers();
  void send(core::ObserverFetches::Answers&& answers);

  ring::Port& port_;
  const Settings settings_;
  const std::uint16_t index_;
  ShardLink& link_;
  const SharedLogEnd& log_end_;
  LogLine log_line_;
  NetPort* net_ = nullptr;
  core::ShardLeases leases_;
  core::ObserverFetches fetches_;
  MonoTime told_;  // when the controller was told of observers last
  Outbox<ToController> outbox_;
  ring::DeadlineTimer lease_timer_;  // these only wake the loop
  ring::DeadlineTimer fetch_timer_;
  ring::DeadlineTimer retry_timer_;
  bool turn_begun_ = false;
};

}  // namespace hayward::driver

// The bridge between the controller and the machine it runs on: turns completions into the node's events,
// carries the node's effects out in order, renews leases as heartbeats arrive and before anything may
// queue, and keeps a pause of our own from being taken for the death of brokers. With other shards it passes orders and
// answers to them, and takes their mail.
// Owner: shard 0, whose loop it is: one turn per run_once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/lease/shard_leases.h"
#include "engine/host/driver/driver_settings.h"
#include "engine/host/driver/ports.h"
#include "engine/host/driver/shard_set.h"
#include "engine/host/ring/deadline_timer.h"
#include "engine/host/ring/ring.h"

namespace hayward::driver {

// What is driven: core::Node, or a test's stand-in.
struct Controller {
  std::function<void(const Time& now, core::Effects& out)> start;
  std::function<void(const Time& now, const core::Event& event, core::Effects& out)> step;
};

class Driver {
 public:
  enum class Outcome : std::uint8_t { running, stopped, failed };

  // `log_end`: of the metadata log as recovery found it.
  Driver(ring::Port& port, const Settings& settings, Offset log_end, Controller controller, LogLine log_line);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // For the log and the net, which are made after the driver; and then they themselves.
  LogEvents log_events();
  NetEvents net_events();
  PeerEvents peer_events();
  // `net`: of this shard. `peers`: null where there are no other controllers. `shards`: the others, if there are any;
  // then they have all the leases.
  struct Attached {
    LogPort& log;
    NetPort& net;
    PeerPort* peers = nullptr;
    ShardSet* shards = nullptr;
  };
  void attach(const Attached& attached);

  // Once, after attach and before the first turn.
  void start();
  // One turn: waits for completions (if `wait` and nothing is to be drained), handles them, lets leases
  // run out. False once the outcome is not `running`: the loop ends.
  bool run_once(bool wait);
  // Begins the orderly stop (SIGTERM): the node's Stop, then the net, then the log.
  void stop();

  Outcome outcome() const { return outcome_; }
  // Why it failed; also logged, by one line.
  const std::string& failure() const { return failure_; }
  const core::ShardLeases& leases() const { return leases_; }

 private:
  Time now() const { return {{port_.now_ns()}, port_.wall_ms()}; }
  void begin_turn();
  void post(core::Event event);
  void step(const core::Event& event);
  void step_waiting();
  void carry_out();
  void carry_out(core::Effect& effect);
  void send_to_peer(core::SendToPeer& send);
  void reply_with_records(core::ReplyWithRecords& reply);
  void reply_with_snapshot(core::ReplyWithSnapshotBytes& reply);
  void set_log_end(Offset end);
  LogPort::ReadDone answer(core::ConnectionId connection, Buffer head, Buffer tail, bool compact_length);
  void on_node_timer();
  void receive();
  void on_arrived(const core::Request& request);
  void on_request(const core::Request& request);
  void end_turn(unsigned completions);
  void wind_up();
  void fail(std::string reason);

  ring::Port& port_;
  Controller controller_;
  LogLine log_line_;
  const std::uint16_t shards_in_all_;
  LogPort* log_ = nullptr;
  NetPort* net_ = nullptr;
  PeerPort* peers_ = nullptr;
  ShardSet* shards_ = nullptr;

  core::ShardLeases leases_;  // has leases if there is no other shard
  Offset log_end_;
  ring::DeadlineTimer node_timer_;
  ring::DeadlineTimer lease_timer_;  // these only wake the loop
  ring::DeadlineTimer retry_timer_;

  core::Effects effects_;
  std::deque<core::Event> waiting_;  // events from inside a step; none has spans into foreign memory
  bool stepping_ = false;
  bool turn_begun_ = false;
  bool winding_up_ = false;
  Outcome outcome_ = Outcome::running;
  std::string failure_;
};

}  // namespace hayward::driver

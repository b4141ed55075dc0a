// One controller process in simulated time: the real node and the real leases in a loop that does what the
// driver does (observe, reap and touch, expire, step), on a simulated log; with more than one shard the leases are on
// the others (sim_shard.h) and what passes between them takes its time. Its turns come when the test says so:
// a paused process gets none, a crashed one forgets what was not flushed.
// Owner: the test.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/trace.h"
#include "engine/core/lease/shard_leases.h"
#include "engine/core/node.h"
#include "engine/host/driver/shard_set.h"
#include "sim_log.h"
#include "sim_net.h"
#include "sim_shard.h"

namespace hayward::sim {

// What a test sees of the controller, as it happens. Each may be empty.
struct Watch {
  // A turn of a shard's loop begins; 0: no stall before it.
  std::function<void(std::uint16_t shard, std::int64_t stall_ns)> turn;
  // Reaped by that shard; its lease is about to be touched.
  std::function<void(std::uint16_t shard, const core::Request& request)> arrived;
  std::function<void(const core::LeasesExpired& mail)> mailed;      // run out, on the way to the node
  std::function<void(const core::LeasesExpired& mail)> expired;     // at the node's door, not yet handled
  std::function<void(const core::Event& event, const core::Effects& effects)> stepped;  // before they are carried out
  std::function<void(core::ConnectionId connection, Bytes frame)> replied;
  std::function<void(core::ConnectionId connection)> closed;        // by the controller
};

class SimController {
 public:
  SimController(core::NodeConfig config, std::uint16_t shards, std::uint64_t seed, Watch watch);

  void start(std::int64_t now_ns);
  void crash();
  bool running() const { return node_ != nullptr; }

  // A request frame is in the socket at `now_ns`; reaped by the next turn.
  void deliver(core::ConnectionId connection, Buffer frame);
  void disconnect(core::ConnectionId connection);
  // Until then events wait before the node, while the loop goes on reaping (a node that is busy).
  void be_busy(std::int64_t until_ns) { busy_until_ns_ = until_ns; }

  // How many fetches the other shards have answered themselves, over all its lives.
  std::uint64_t fetches_beside() const;

  // One of the shards beside the controller's stands still. `index` >= 1.
  void pause_shard(std::uint16_t index, std::int64_t until_ns);

  // One turn of every shard's loop that has something to do.
  void turn(std::int64_t now_ns);
  // When the loop wakes by itself; INT64_MAX: never.
  std::int64_t next_wake_ns() const;

  SimLog& log() { return log_; }
  const core::Node& node() const { return *node_; }
  std::uint16_t shards() const { return settings_.shards; }
  // A Fail effect or an error line; nullopt: none.
  const std::optional<std::string>& failure() const { return failure_; }
  TraceHash& trace() { return trace_; }

 private:
  struct Waiting {
    core::Event event;
    Buffer bytes;  // a request's body is a view of it
  };
  Time time(std::int64_t now_ns) const { return {{now_ns}, 1'700'000'000'000 + now_ns / 1'000'000}; }
  void load();
  void start_shards(std::int64_t now_ns);
  void receive_mail(std::int64_t now_ns);
  void end_turn(unsigned reaped, std::int64_t now_ns);
  void queue_request(const core::Request& request);
  void pass_on(core::LeasesExpired expired);
  void put_in(core::ConnectionId connection, std::optional<Buffer> frame);
  void send(core::ConnectionId connection, Buffer frame);
  unsigned reap(std::int64_t now_ns);
  void reap_request(core::ConnectionId connection, Buffer frame, std::int64_t now_ns);
  void step(const core::Event& event, std::int64_t now_ns);
  void carry_out(const core::Effect& effect, std::int64_t now_ns);
  void reply(core::ConnectionId connection, Bytes frame);
  void close(core::ConnectionId connection);

  core::NodeConfig config_;
  driver::Settings settings_;
  Prng prng_;
  Watch watch_;
  ShardWatch shard_watch_;
  SimLog log_;
  std::unique_ptr<core::Node> node_;
  std::unique_ptr<core::ShardLeases> leases_;
  // The others; empty: there is one shard.
  std::vector<std::unique_ptr<driver::ShardLink>> links_;
  std::vector<std::unique_ptr<SimShard>> others_;
  std::uint64_t earlier_fetches_beside_ = 0;
  std::unique_ptr<driver::ShardSet> set_;
  std::unique_ptr<SimNet> net_;
  driver::SharedLogEnd log_end_{0};
  // Where each connection that has been handed over is, and what comes in for those under way.
  struct Place {
    std::uint16_t shard = 0;
    bool under_way = true;
    std::deque<std::optional<Buffer>> waiting;
  };
  std::map<std::uint32_t, Place> places_;
  struct Input {
    core::ConnectionId connection;
    std::optional<Buffer> frame;  // nullopt: the peer is gone
  };
  std::deque<Input> inputs_;      // in the sockets
  std::deque<Waiting> waiting_;   // reaped, before the node
  std::int64_t busy_until_ns_ = 0;
  std::int64_t node_timer_ns_ = INT64_MAX;
  std::int64_t drain_ns_ = 0;  // the next turn while draining
  std::optional<std::string> failure_;
  TraceHash trace_;
};

}  // namespace hayward::sim

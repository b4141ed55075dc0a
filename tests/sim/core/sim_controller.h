// One controller process in simulated time: the real node and the real lease table in a loop that does what the
// driver does (observe, reap and touch, expire, step), on a simulated log. Its turns come when the test says so:
// a paused process gets none, a crashed one forgets what was not flushed.
// Owner: the test.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/trace.h"
#include "engine/core/authorizer/cluster_access.h"
#include "engine/core/lease/lease_table.h"
#include "engine/core/node.h"
#include "sim_log.h"

namespace hayward::sim {

// What a test sees of the controller, as it happens. Each may be empty.
struct Watch {
  std::function<void(std::int64_t stall_ns)> turn;                  // a turn begins; 0: no stall before it
  std::function<void(const core::Request& request)> arrived;        // reaped; its lease is about to be touched
  std::function<void(const core::LeasesExpired& mail)> expired;     // mailed, not yet handled
  std::function<void(const core::Event& event, const core::Effects& effects)> stepped;  // before they are carried out
  std::function<void(core::ConnectionId connection, Bytes frame)> replied;
  std::function<void(core::ConnectionId connection)> closed;        // by the controller
};

class SimController {
 public:
  SimController(core::NodeConfig config, std::uint64_t seed, Watch watch);

  void start(std::int64_t now_ns);
  void crash();
  bool running() const { return node_ != nullptr; }

  // A request frame is in the socket at `now_ns`; reaped by the next turn.
  void deliver(core::ConnectionId connection, Buffer frame);
  void disconnect(core::ConnectionId connection);
  // Until then events wait before the node, while the loop goes on reaping (a node that is busy).
  void be_busy(std::int64_t until_ns) { busy_until_ns_ = until_ns; }

  // One turn of the loop.
  void turn(std::int64_t now_ns);
  // When the loop wakes by itself; INT64_MAX: never.
  std::int64_t next_wake_ns() const;

  SimLog& log() { return log_; }
  const core::Node& node() const { return *node_; }
  const core::LeaseTable& leases() const { return *leases_; }
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
  void reap(std::int64_t now_ns);
  void reap_request(core::ConnectionId connection, Buffer frame, std::int64_t now_ns);
  void step(const core::Event& event, std::int64_t now_ns);
  void carry_out(const core::Effect& effect, std::int64_t now_ns);
  void reply(core::ConnectionId connection, Bytes frame);
  void close(core::ConnectionId connection);

  core::NodeConfig config_;
  Watch watch_;
  SimLog log_;
  std::unique_ptr<core::Node> node_;
  std::unique_ptr<core::LeaseTable> leases_;
  core::ClusterAccess cluster_access_;
  struct Input {
    core::ConnectionId connection;
    std::optional<Buffer> frame;  // nullopt: the peer is gone
  };
  std::deque<Input> inputs_;      // in the sockets
  std::deque<Waiting> waiting_;   // reaped, before the node
  std::int64_t busy_until_ns_ = 0;
  std::int64_t node_timer_ns_ = INT64_MAX;
  std::optional<std::string> failure_;
  TraceHash trace_;
};

}  // namespace hayward::sim

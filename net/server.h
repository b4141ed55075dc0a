// The controller listener's side of the network: accepts, cuts requests out of the streams, hands
// them on one at a time per connection, sends answers. Runs wholly on a ring::Port, so on a simulated one
// too. What bounds it is in ServerConfig.
// Owner: one shard; all calls and call-backs on its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/control/served.h"
#include "engine/host/driver/ports.h"
#include "engine/host/ring/ring.h"
#include "net/listener.h"
#include "net/stats.h"

namespace hayward::net {

// Settings; the comment is the server.properties key where there is one.
struct ServerConfig {
  std::int32_t request_max_bytes = 104857600;       // socket.request.max.bytes
  std::int64_t idle_ms = 600000;                    // connections.max.idle.ms
  std::int32_t max_connections = INT32_MAX;         // max.connections: accepting rests at the limit
  std::int32_t max_connections_per_ip = INT32_MAX;  // max.connections.per.ip: closed at once above it
  // A connection whose request is being answered is read on up to so many bytes, then no more.
  std::size_t read_ahead_bytes = 65536;
  // Received and not yet handed on, over all connections; at least request_max_bytes. A connection that
  // would take more is closed if it holds more than read_ahead_bytes itself.
  std::size_t buffered_bytes_max = 268435456;
  std::int64_t stop_drain_ms = 1000;  // how long stop() lets answers out
  std::uint16_t shard = 0;
};

using LogLine = std::function<void(core::LogLine::Level level, std::string text)>;

class Server : public driver::NetPort {
 public:
  // `apis`: what is served (core::served_apis()), ascending by key; must outlive the server.
  Server(ring::Port& port, const ServerConfig& config, std::span<const core::ServedApi> apis, driver::NetEvents events,
         LogLine log);
  // Not while anything is in flight: after stop()'s done, or when the port runs no more.
  ~Server() override;

  // Takes the descriptors over and begins to accept.
  void listen(std::vector<OpenListener> listeners);

  void reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) override;
  void reply_small(core::ConnectionId connection, Bytes bytes) override;
  void reply_with_slice(core::ConnectionId connection, Buffer head, driver::LogSlice slice, Buffer tail,
                        bool compact_length) override;
  void close_connection(core::ConnectionId connection, const std::string& reason) override;
  void adopt(driver::Handover&& handover) override;
  void handed_over_ended(const core::ClientAddress& address) override;
  void stop(std::function<void()> done) override;

  const Stats& stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hayward::net

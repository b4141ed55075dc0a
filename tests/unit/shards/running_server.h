// The whole server in this process, on some shards, formatted anew in a directory of its own; stopped by SIGTERM at the
// end. And a client that asks one thing after the other.
// Owner: the test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "engine/base/properties.h"
#include "tests/sim/brokers/frames.h"
#include "tests/unit/shards/real_brokers.h"
#include "tools/config/server_config.h"

namespace hayward::tools {

inline constexpr const char* cluster_id = "kVZkUoYoQ2q1n0xq1m0Pxw";

class RunningServer {
 public:
  // `properties` over those that it needs anyway. Returns once the controller is active.
  RunningServer(int shards, const Properties& properties = {});
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void format();
  bool is_active() const;

  std::string directory_;
  std::uint16_t port_ = 0;
  config::ServerConfig config_;
  std::thread server_;
  int exit_code_ = -1;
};

// Sends and waits for the answer, whose views are of `frame` and the arena. False: the connection has ended, or `stop`.
template <class Response, class Request>
bool ask(FrameSocket& socket, const Request& request, std::int16_t version, std::int32_t id, Arena& arena, Buffer& frame,
         Response& response, const std::atomic<bool>& stop) {
  socket.send(sim::request_frame(request, version, id));
  std::optional<Buffer> received;
  while (!stop.load() && !socket.ended() && !(received = socket.receive())) {
    pollfd readable{.fd = socket.fd(), .events = POLLIN, .revents = 0};
    ::poll(&readable, 1, 10);
  }
  if (!received) return false;
  frame = std::move(*received);
  return sim::read_response(frame, version, id, arena, response);
}

}  // namespace hayward::tools

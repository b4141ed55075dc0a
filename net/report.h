// Log lines about peers' misbehaviour, at most one per kind in ten seconds: a flood of bad connections must
// not become a flood of lines. The next line tells how many were held back.
// Owner: the Server. Its shard.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "net/server.h"
#include "net/stats.h"

namespace hayward::net {

class Report {
 public:
  explicit Report(LogLine log) : log_(std::move(log)) {}

  // A connection has been closed for `reason`; ordinary ends (peer_closed, idle, stopping) say nothing.
  void closed(std::int64_t now_ns, CloseReason reason, const core::ClientAddress& address, const std::string& detail);
  void accept_failed(std::int64_t now_ns, const std::string& listener, int error);

 private:
  struct Gate {
    std::int64_t open_ns = INT64_MIN;
    std::uint64_t held_back = 0;
  };
  void line(Gate& gate, std::int64_t now_ns, std::string text);

  LogLine log_;
  std::array<Gate, close_reason_count> closed_{};
  Gate accept_;
};

}  // namespace hayward::net

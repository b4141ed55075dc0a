// The net of the controller's shard in simulated time: connections are names, answers go to the watch.
// Owner: SimController.
#pragma once

#include <functional>

#include "engine/host/driver/ports.h"
#include "sim_shard.h"

namespace hayward::sim {

class SimNet final : public driver::NetPort {
 public:
  std::function<void(core::ConnectionId connection, Bytes frame)> replied;
  std::function<void(core::ConnectionId connection)> closed;

  void reply(core::ConnectionId connection, Buffer bytes, std::int32_t) override { replied(connection, bytes); }
  void reply_small(core::ConnectionId connection, Bytes bytes) override { replied(connection, bytes); }
  void reply_with_slice(core::ConnectionId connection, Buffer head, driver::LogSlice slice, Buffer tail,
                        bool compact_length) override {
    Buffer all;
    for (const Bytes part : slice.parts) all.insert(all.end(), part.begin(), part.end());
    replied(connection, joined(head, all, tail, compact_length));
  }
  void close_connection(core::ConnectionId connection, const std::string&) override { closed(connection); }
  void adopt(driver::Handover&&) override {}  // none comes back to the controller's shard
  void handed_over_ended(const core::ClientAddress&) override {}
  void stop(std::function<void()> done) override { done(); }
};

}  // namespace hayward::sim

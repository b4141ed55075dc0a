// Model brokers on real sockets: one thread drives some of them, breaks a connection now and then, and notes what
// each was told.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "tests/sim/brokers/model_broker.h"

namespace hayward::tools {

// A client's connection: frames with their length, non-blocking.
class FrameSocket {
 public:
  // `from`: the last byte of the loopback address that it comes from.
  explicit FrameSocket(std::uint16_t port, std::uint8_t from = 1);
  ~FrameSocket();
  FrameSocket(const FrameSocket&) = delete;
  FrameSocket& operator=(const FrameSocket&) = delete;

  int fd() const { return fd_; }
  void send(Bytes frame);
  // The next whole frame; nullopt: none yet, or the end (see ended).
  std::optional<Buffer> receive();
  bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  Buffer received_;
};

class RealBrokers {
 public:
  struct Options {
    std::uint16_t port = 0;
    std::string cluster_id;
    std::int32_t first_id = 1;
    int count = 1;
    std::int64_t heartbeat_interval_ms = 10;
    std::uint32_t breaks = 3;  // chance per thousand turns that some connection is broken
    std::uint64_t seed = 1;
  };
  explicit RealBrokers(const Options& options);

  // Until `stop`; then until every broker has been told that it is unfenced, or ten seconds more.
  void run(const std::atomic<bool>& stop);
  // What was wrong in the end; empty: nothing.
  std::string fault() const;
  std::uint64_t answers() const { return answers_; }
  std::uint64_t broken() const { return broken_; }

 private:
  struct Line {
    std::uint32_t connection = 0;
    std::unique_ptr<FrameSocket> socket;
  };
  using Lines = std::map<std::pair<std::size_t, sim::Channel>, Line>;

  void turn();
  void send(std::size_t broker, const sim::OutFrame& frame);
  void wait();
  void receive();
  void drop(std::size_t broker, sim::Channel channel, Line& line);
  bool all_unfenced() const;

  Options options_;
  Prng prng_;
  std::vector<std::unique_ptr<sim::ModelBroker>> brokers_;
  Lines lines_;
  std::uint64_t answers_ = 0;
  std::uint64_t broken_ = 0;
};

std::int64_t real_now_ms();

}  // namespace hayward::tools

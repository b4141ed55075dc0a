// What a load is to do, as the command line says it.
// Owner: `hayward load`.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace hayward::tools {

enum class Part : std::uint8_t { register_, unfence, steady, create, alter_partition, kill, return_ };

struct LoadOptions {
  std::vector<Part> parts = {Part::register_, Part::unfence, Part::steady};
  std::string cluster_id;
  std::int32_t first_id = 1000;
  std::size_t brokers = 20;
  double rate_per_s = 0;  // steady: heartbeats of all brokers together; 0: closed loop
  double duration_s = 10;
  double heartbeat_interval_s = 2;  // of each living broker beside the other parts
  std::size_t observers = 0;        // brokers that fetch the metadata log
  std::int16_t fetch_version = 17;
  // create
  std::string topic_prefix = "load-";
  std::uint64_t topics = 100;
  std::int32_t partitions = 1;
  std::int16_t replication_factor = 1;
  std::size_t clients = 1;  // connections, for alter-partition too
  int survivors_percent =
      -1;  // -1: the controller places replicas; else on those that are to die, but so many in a hundred
  std::uint64_t alter_partitions = 1000;
  std::size_t kill = 0;  // brokers
  double session_timeout_s = 9;
  double give_up_s = 30;                   // for registering, for being unfenced, for what has fallen to be settled
  std::int64_t drain_ns = 10'000'000'000;  // for late answers at the end of a phase
};

inline std::int64_t give_up_ns(const LoadOptions& options) {
  return static_cast<std::int64_t>(options.give_up_s * 1e9);
}

struct LoadTarget {
  sockaddr_storage address{};
  socklen_t length = 0;
};

// "register,unfence,...": each may come more than once. The error says what was expected: register and unfence come
// first, return after kill.
std::expected<std::vector<Part>, std::string> parse_parts(std::string_view text);
std::string_view name(Part part);

}  // namespace hayward::tools

// The load tool's own threads, every part of it, against a server in this process: what the thread sanitizer is shown of
// `hayward load`.
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>

#include "tests/unit/shards/running_server.h"
#include "tools/load/runner.h"

namespace hayward::tools {
namespace {

TEST(LoadTool, EveryPartOnSeveralThreads) {
  RunningServer server(2, {{"broker.session.timeout.ms", "1500"}});
  RunOptions options;
  options.load.parts = {Part::register_, Part::unfence, Part::steady,  Part::create,
                        Part::alter_partition, Part::kill, Part::return_};
  options.load.cluster_id = cluster_id;
  options.load.brokers = 12;
  options.load.observers = 4;
  options.load.rate_per_s = 500;
  options.load.duration_s = 1;
  options.load.heartbeat_interval_s = 0.2;
  options.load.topics = 30;
  options.load.partitions = 2;
  options.load.replication_factor = 3;
  options.load.clients = 5;
  options.load.alter_partitions = 40;
  options.load.kill = 4;
  options.load.session_timeout_s = 1.5;
  options.threads = 3;
  std::atomic<int> lines = 0;
  options.progress = [&](const std::string&) { ++lines; };
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&options.target.address, &address, sizeof address);
  options.target.length = sizeof address;

  const auto outcome = run_load(options);
  ASSERT_TRUE(outcome.has_value()) << outcome.error();
  EXPECT_EQ(outcome->problem, "");
  EXPECT_GT(lines.load(), 0);
  EXPECT_GE(outcome->phases.size(), 7u);
  for (const PhaseResult& phase : outcome->phases) EXPECT_GT(phase.sent, 0u) << phase.name;
}

}  // namespace
}  // namespace hayward::tools

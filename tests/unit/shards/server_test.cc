// The whole server in this process, on 1, 2 and 4 shards, with brokers that register, heartbeat, follow the log, break
// their connections, while topics are created: also what the thread sanitizer is shown.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "engine/host/ring/uring.h"
#include "log/format_directory.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "tests/sim/brokers/frames.h"
#include "tests/unit/shards/real_brokers.h"
#include "tools/config/server_config.h"
#include "tools/exit_code.h"
#include "tools/server/server.h"
#include "tools/server/shard_count.h"
#include "tools/server/stop_signal.h"

namespace hayward::tools {
namespace {

constexpr const char* cluster_id = "kVZkUoYoQ2q1n0xq1m0Pxw";

std::uint16_t free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

class ServerTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hayward-shards-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    port_ = free_port();
    Properties properties{{"process.roles", "controller"},
                          {"node.id", "3000"},
                          {"listeners", "CONTROLLER://127.0.0.1:" + std::to_string(port_)},
                          {"controller.listener.names", "CONTROLLER"},
                          {"controller.quorum.voters", "3000@127.0.0.1:" + std::to_string(port_)},
                          {"log.dirs", directory_},
                          {"hayward.shards", std::to_string(GetParam())}};
    auto config = config::read_server_config(properties);
    ASSERT_TRUE(config.has_value()) << config.error()[0];
    config_ = std::move(*config);
    format();
    block_stop_signals();
    server_ = std::thread([this] { exit_code_ = run_server(config_, false); });
    for (int i = 0; i < 1000 && FrameSocket(port_).ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  void TearDown() override {
    ::kill(::getpid(), SIGTERM);
    server_.join();
    EXPECT_EQ(exit_code_, exit_ok);
    std::filesystem::remove_all(directory_);
  }
  void format() {
    log::FormatRequest request;
    request.cluster_id = cluster_id;
    request.node_id = config_.node.node_id;
    request.directories = {directory_};
    request.metadata_directory = directory_;
    request.metadata_directory_id = DirectoryId{Uuid{1, 1}};
    request.random_seed = 1;
    records::FeatureLevelRecord level;
    level.name = "metadata.version";
    level.feature_level = 30;
    records::append_frame(request.bootstrap_records.emplace_back(), level, 0);
    auto port = ring::create_uring({});
    ASSERT_TRUE(port.has_value());
    ASSERT_TRUE(log::format_directories(**port, request).has_value());
  }

  std::string directory_;
  std::uint16_t port_ = 0;
  config::ServerConfig config_;
  std::thread server_;
  int exit_code_ = -1;
};

// Creates topics one after the other until `stop`; how many were created.
int create_topics(std::uint16_t port, const std::atomic<bool>& stop) {
  FrameSocket socket(port);
  int created = 0;
  for (std::int32_t id = 1; !stop.load() && !socket.ended(); ++id) {
    Arena arena;
    messages::CreateTopicsRequest request;
    auto& topic = request.topics.push_back(arena);
    topic.name = arena.copy("topic-" + std::to_string(id));
    topic.num_partitions = 3;
    topic.replication_factor = 2;
    socket.send(sim::request_frame(request, 7, id));
    std::optional<Buffer> frame;
    while (!stop.load() && !socket.ended() && !(frame = socket.receive())) {
      pollfd readable{.fd = socket.fd(), .events = POLLIN, .revents = 0};
      ::poll(&readable, 1, 10);
    }
    messages::CreateTopicsResponse response;
    if (!frame || !sim::read_response(*frame, 7, id, arena, response)) continue;
    if (response.topics[0].error_code == ErrorCode::none) ++created;
  }
  return created;
}

TEST_P(ServerTest, BrokersLiveThroughLoadAndBrokenConnections) {
  constexpr int threads = 3, brokers_each = 5;
  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<RealBrokers>> groups;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    groups.push_back(std::make_unique<RealBrokers>(
        RealBrokers::Options{.port = port_,
                             .cluster_id = cluster_id,
                             .first_id = 1 + i * brokers_each,
                             .count = brokers_each,
                             .seed = static_cast<std::uint64_t>(GetParam() * 10 + i)}));
    running.emplace_back([&stop, group = groups.back().get()] { group->run(stop); });
  }
  int topics = 0;
  running.emplace_back([&] { topics = create_topics(port_, stop); });
  std::this_thread::sleep_for(std::chrono::seconds(4));
  stop = true;
  for (std::thread& thread : running) thread.join();
  std::uint64_t answers = 0, broken = 0;
  for (const auto& group : groups) {
    EXPECT_EQ(group->fault(), "");
    answers += group->answers();
    broken += group->broken();
  }
  EXPECT_GT(answers, 500u);
  EXPECT_GT(broken, 0u);
  EXPECT_GT(topics, 0);
}

INSTANTIATE_TEST_SUITE_P(Shards, ServerTest, ::testing::Values(1, 2, 4),
                         [](const auto& shards) { return "Of" + std::to_string(shards.param); });

TEST(ShardCount, HonoursTheQuota) {
  EXPECT_EQ(cores_of_quota("max 100000\n"), 0);
  EXPECT_EQ(cores_of_quota("200000 100000\n"), 2);
  EXPECT_EQ(cores_of_quota("50000 100000\n"), 1) << "less than one core is one";
  EXPECT_EQ(cores_of_quota(""), 0);
  EXPECT_EQ(cores_of_quota("x y"), 0);
  EXPECT_EQ(shard_count({.count = 3, .pin = false}), 3);
  EXPECT_GE(shard_count({}), 1);
  EXPECT_LE(shard_count({}), 4);
}

}  // namespace
}  // namespace hayward::tools

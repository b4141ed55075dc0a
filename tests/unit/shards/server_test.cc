// The whole server in this process, on 1, 2 and 4 shards, with brokers that register, heartbeat, follow the log, break
// their connections, while topics are created: also what the thread sanitizer is shown.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tests/unit/shards/running_server.h"
#include "tools/server/shard_count.h"

namespace hayward::tools {
namespace {

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
    Buffer frame;
    messages::CreateTopicsResponse response;
    if (!ask(socket, request, 7, id, arena, frame, response, stop)) continue;
    if (response.topics[0].error_code == ErrorCode::none) ++created;
  }
  return created;
}

class ServerTest : public ::testing::TestWithParam<int> {
 protected:
  RunningServer server_{GetParam()};
  const std::uint16_t port_ = server_.port();
};

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

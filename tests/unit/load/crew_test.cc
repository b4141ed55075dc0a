// Threads in step, and their results as one.
#include "tools/load/crew.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tools/load/runner.h"
#include "tools/load/topics.h"

namespace hayward::tools {
namespace {

TEST(LoadCrew, NobodyPassesBeforeEverybodyIsThere) {
  constexpr std::size_t threads = 4;
  constexpr int rounds = 500;
  Crew crew(threads);
  std::atomic<int> entered = 0;
  std::atomic<bool> early = false;
  std::vector<std::thread> crowd;
  for (std::size_t i = 0; i < threads; ++i) {
    crowd.emplace_back([&] {
      for (int round = 1; round <= rounds; ++round) {
        ++entered;
        const auto meeting = crew.arrive();
        while (!crew.passed(meeting)) std::this_thread::yield();
        if (entered < round * static_cast<int>(threads)) early = true;
      }
    });
  }
  for (auto& thread : crowd) thread.join();
  EXPECT_FALSE(early);
}

TEST(LoadCrew, AFailureIsLearntByAllAtTheSameMeeting) {
  Crew crew(2);
  crew.fail();
  EXPECT_FALSE(crew.failed());
  const auto meeting = crew.arrive();
  EXPECT_FALSE(crew.passed(meeting));
  crew.arrive();
  EXPECT_TRUE(crew.passed(meeting));
  EXPECT_TRUE(crew.failed());
}

TEST(LoadMerge, AddsWhatHasTheSameNameInTheSamePlace) {
  PhaseResult a, b;
  a.name = b.name = "steady";
  a.latency.record(1000);
  b.latency.record(3000);
  a.ok = 1;
  b.ok = 2;
  a.errors["X"] = 1;
  b.errors["Y"] = 1;
  a.begin_ns = 10;
  b.begin_ns = 5;
  a.end_ns = 20;
  b.end_ns = 15;
  a.offered_per_s = b.offered_per_s = 50;
  PhaseResult other;
  other.name = "create";
  const auto merged = merge({{a, other}, {b}});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].ok, 3u);
  EXPECT_EQ(merged[0].latency.count(), 2u);
  EXPECT_EQ(merged[0].latency.max_ns(), 3000);
  EXPECT_EQ(merged[0].error_count(), 2u);
  EXPECT_EQ(merged[0].begin_ns, 5);
  EXPECT_EQ(merged[0].end_ns, 20);
  EXPECT_EQ(merged[0].offered_per_s, 100);
  EXPECT_EQ(merged[0].threads, 2u);
}

TEST(LoadPlacement, ReplicasAreDistinctLeadersEvenAndTheShareSurvives) {
  Placement placement;
  for (std::int32_t id = 0; id < 40; ++id) placement.doomed.push_back(NodeId{id});
  for (std::int32_t id = 100; id < 400; ++id) placement.living.push_back(NodeId{id});
  placement.survivors_percent = 33;
  std::map<std::int32_t, int> led;
  int surviving = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    const auto replicas = placement.replicas(n, 3);
    ASSERT_EQ(replicas.size(), 3u);
    EXPECT_NE(replicas[0], replicas[1]);
    EXPECT_NE(replicas[1], replicas[2]);
    EXPECT_NE(replicas[0], replicas[2]);
    EXPECT_LT(replicas[0].value, 40);
    EXPECT_LT(replicas[1].value, 40);
    ++led[replicas[0].value];
    surviving += replicas[2].value >= 100;
  }
  EXPECT_EQ(surviving, 1320);
  for (const auto& [id, count] : led) EXPECT_EQ(count, 100) << id;
}

TEST(LoadPlacement, WithOneBrokerToDieThereIsOneReplica) {
  const Placement placement{{NodeId{5}}, {}, 0};
  EXPECT_EQ(placement.replicas(3, 3), std::vector<NodeId>{NodeId{5}});
}

}  // namespace
}  // namespace hayward::tools

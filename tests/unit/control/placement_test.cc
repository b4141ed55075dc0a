// Replica placement: rules that every placement keeps, and the edges (KAFKA-12897, KAFKA-14129).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cluster.h"
#include "engine/core/control/replica_placer.h"

namespace hayward::core {
namespace {

auto place(TestCluster& cluster, std::size_t partitions, std::int32_t factor, std::uint64_t seed = 1) {
  Prng prng(seed);
  return ReplicaPlacer(cluster.image.cluster(), cluster.ineligible, prng).place(partitions, factor);
}

TEST(Placement, OneBrokerTakesAnyNumberOfPartitions) {  // cases.md row 31
  TestCluster cluster({.brokers = 1});
  const auto placed = place(cluster, 50, 1);
  ASSERT_TRUE(placed.has_value());
  for (const auto& replicas : *placed) EXPECT_EQ(ids(replicas), Ids{1});
}

TEST(Placement, OneLivingBrokerAmongFencedOnesLeadsEverything) {
  TestCluster cluster({.brokers = 1});
  for (int id = 2; id <= 4; ++id) cluster.add_broker({.id = id, .rack = "r" + std::to_string(id), .fenced = true});
  const auto placed = place(cluster, 50, 3);
  ASSERT_TRUE(placed.has_value());
  for (const auto& replicas : *placed) EXPECT_EQ(replicas[0], NodeId{1});
}

TEST(Placement, ManyRacksOfFencedBrokersDoNotKeepItGoingForEver) {  // cases.md row 31
  TestCluster cluster({.brokers = 0});
  for (int id = 1; id <= 2; ++id) cluster.add_broker({.id = id, .rack = "a" + std::to_string(id)});
  for (int id = 3; id <= 30; ++id) cluster.add_broker({.id = id, .rack = "b" + std::to_string(id), .fenced = true});
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(place(cluster, 200, 2, seed).has_value());
}

TEST(Placement, Impossible) {
  TestCluster cluster;
  EXPECT_FALSE(place(cluster, 1, 0).has_value());
  EXPECT_FALSE(place(cluster, 1, 4).has_value());
  EXPECT_TRUE(place(cluster, 1, 3).has_value());
  cluster.add_broker({.id = 3, .shutting_down = true});
  EXPECT_FALSE(place(cluster, 1, 3).has_value());
  cluster.add_broker({.id = 3, .dirs = {directory(8)}, .cordoned = std::vector{directory(8)}});
  EXPECT_FALSE(place(cluster, 1, 3).has_value());
  cluster.add_broker({.id = 3, .dirs = {directory(8), directory(9)}, .cordoned = std::vector{directory(8)}});
  EXPECT_TRUE(place(cluster, 1, 3).has_value()) << "one directory is left";
  cluster.ineligible = {NodeId{3}};
  EXPECT_FALSE(place(cluster, 1, 3).has_value());
  TestCluster nobody({.brokers = 0});
  EXPECT_FALSE(place(nobody, 1, 1).has_value());
  TestCluster fenced({.brokers = 0});
  fenced.add_broker({.id = 1, .fenced = true});
  EXPECT_FALSE(place(fenced, 1, 1).has_value());
}

TEST(Placement, ReplicasAreSpreadOverRacksFirst) {
  TestCluster cluster({.brokers = 0});
  std::map<std::int32_t, std::string> rack_of;
  for (int id = 1; id <= 9; ++id) {
    rack_of[id] = std::string(1, static_cast<char>('a' + (id - 1) / 3));
    cluster.add_broker({.id = id, .rack = rack_of[id]});
  }
  const auto placed = place(cluster, 90, 3);
  ASSERT_TRUE(placed.has_value());
  std::map<std::int32_t, int> leads;
  for (const auto& replicas : *placed) {
    std::set<std::string> racks;
    for (NodeId id : replicas) racks.insert(rack_of[id.value]);
    EXPECT_EQ(racks.size(), 3u);
    ++leads[replicas[0].value];
  }
  for (const auto& [id, count] : leads) EXPECT_NEAR(count, 10, 6) << "broker " << id;
}

TEST(Placement, EveryPlacementIsDistinctLivingFirst) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng prng(seed);
    TestCluster cluster({.brokers = 0});
    const int brokers = 1 + static_cast<int>(prng.below(12));
    bool any_alive = false;
    std::set<std::int32_t> fenced;
    for (int id = 1; id <= brokers; ++id) {
      const bool is_fenced = prng.chance(1, 3);
      if (is_fenced) fenced.insert(id);
      any_alive |= !is_fenced;
      std::optional<std::string> rack;
      if (prng.chance(2, 3)) rack = std::string(1, static_cast<char>('a' + prng.below(4)));
      cluster.add_broker({.id = id, .rack = rack, .fenced = is_fenced});
    }
    const auto factor = static_cast<std::int32_t>(1 + prng.below(static_cast<std::uint64_t>(brokers)));
    const auto placed = place(cluster, 30, factor, seed);
    ASSERT_EQ(placed.has_value(), any_alive);
    if (!placed) continue;
    for (const auto& replicas : *placed) {
      EXPECT_EQ(replicas.size(), static_cast<std::size_t>(factor));
      EXPECT_EQ(std::set<NodeId>(replicas.begin(), replicas.end()).size(), replicas.size());
      EXPECT_FALSE(fenced.contains(replicas[0].value));
    }
    EXPECT_EQ(*placed, *place(cluster, 30, factor, seed)) << "the same seed places the same";
  }
}

}  // namespace
}  // namespace hayward::core

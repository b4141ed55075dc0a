// What brokers' coming and going does to partitions: elections, ELR, several brokers at once, lost
// directories, and the periodic elections.
#include "engine/core/control/leader_and_isr.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

template <class Act>
void change(TestCluster& cluster, Act&& act) {
  cluster.run([&](const HandlerContext& context, RecordList& records) {
    PartitionChanges changes(context, records);
    act(changes);
    return 0;
  });
}

TEST(LeaderAndIsr, AFollowerLeavesTheIsrOnly) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  cluster.fence({3});
  EXPECT_EQ(cluster.lines, (Lines{"Change a-0 isr [1 2]", "Broker 3 fenced"}));
  EXPECT_EQ(cluster.state("a"), "leader 1 epoch 0/1 isr [1 2]");
}

TEST(LeaderAndIsr, ALeaderIsFollowedByTheFirstReplicaInSync) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2, 3}, .isr = {3, 1}});
  cluster.add_topic("b", {.replicas = {2, 3, 1}, .isr = {1, 2, 3}});
  cluster.fence({3});
  EXPECT_EQ(cluster.state("a"), "leader 1 epoch 1/1 isr [1]");
  cluster.fence({1});
  EXPECT_EQ(cluster.state("b"), "leader 2 epoch 1/2 isr [2]");
}

TEST(LeaderAndIsr, SeveralAtOnceNeverElectOneAnother) {  // cases.md row 8; KAFKA-13173
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  cluster.fence({1, 2});
  EXPECT_EQ(cluster.lines, (Lines{"Change a-0 isr [3] leader 3", "Broker 1 fenced", "Broker 2 fenced"}));
}

TEST(LeaderAndIsr, WithoutElrTheLastMemberStays) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2}, .isr = {1}});
  cluster.fence({1});
  EXPECT_EQ(cluster.state("a"), "leader -1 epoch 1/1 isr [1]");
  cluster.unfence(2);  // not in sync: no use
  EXPECT_EQ(cluster.lines, (Lines{"Broker 2 unfenced"}));
  cluster.unfence(1);
  EXPECT_EQ(cluster.state("a"), "leader 1 epoch 2/2 isr [1]");
}

TEST(LeaderAndIsr, NothingToDoWritesNothing) {  // cases.md row 32; KAFKA-16624
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2}, .isr = {1}});
  cluster.fence({1});
  for (int i = 0; i < 3; ++i) {
    change(cluster, [](PartitionChanges& changes) {
      const NodeId leaving[] = {NodeId{1}};
      generate_leader_and_isr_updates({.leaving = leaving}, changes);
      const NodeId joining[] = {NodeId{2}};
      generate_leader_and_isr_updates({.joining = joining}, changes);
    });
    EXPECT_TRUE(cluster.lines.empty());
  }
}

TEST(LeaderAndIsr, TwoStepsOfOneOperationAddUp) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  change(cluster, [](PartitionChanges& changes) {
    const NodeId first[] = {NodeId{1}};
    generate_leader_and_isr_updates({.leaving = first}, changes);
    generate_leader_and_isr_updates({.leaving = first}, changes);
    const NodeId second[] = {NodeId{3}};
    generate_leader_and_isr_updates({.leaving = second}, changes);
  });
  EXPECT_EQ(cluster.lines, (Lines{"Change a-0 isr [2 3] leader 2", "Change a-0 isr [2]"}));
}

TEST(LeaderAndIsr, UncleanElectionsAreForTopicsThatAllowThem) {
  TestCluster cluster;
  cluster.add_topic("no", {.replicas = {1, 2}, .isr = {1}});
  cluster.add_topic("yes", {.replicas = {1, 2}, .isr = {1}});
  cluster.set_config(2, "yes", "unclean.leader.election.enable", "true");
  cluster.fence({1});
  EXPECT_EQ(cluster.state("no"), "leader -1 epoch 1/1 isr [1]");
  EXPECT_EQ(cluster.state("yes"), "leader 2 epoch 1/1 isr [2] recovering");
}

TEST(LeaderAndIsr, SlicesComeToTheSameAsOneGo) {
  TestCluster cluster;
  for (int i = 0; i < 25; ++i) cluster.add_topic("t" + std::to_string(i), {.replicas = {1, 2}, .isr = {1, 2}});
  for (int i = 0; i < 5; ++i) cluster.add_topic("last" + std::to_string(i), {.replicas = {1, 2}, .isr = {1}});
  const NodeId leaving[] = {NodeId{1}};
  cluster.ineligible = {NodeId{1}};
  std::optional<std::uint32_t> from = 0;
  int slices = 0;
  std::size_t records = 0;
  while (from) {
    ASSERT_LT(++slices, 20);
    change(cluster, [&](PartitionChanges& changes) {
      from = generate_leader_and_isr_updates({.leaving = leaving}, *from, 4, changes);
    });
    EXPECT_LE(cluster.lines.size(), 4u);
    records += cluster.lines.size();
  }
  EXPECT_EQ(records, 30u);
  EXPECT_TRUE(cluster.image.topics().led_by(NodeId{1}).empty());
}

TEST(LeaderAndIsr, ALostDirectoryTakesItsPartitionsOnly) {
  TestCluster cluster({.brokers = 0});
  cluster.add_broker({.id = 1, .dirs = {directory(1)}});
  cluster.add_broker({.id = 2});
  cluster.add_topic("here", {.replicas = {1, 2}, .isr = {1, 2}});
  cluster.add_broker({.id = 1, .dirs = {directory(5)}});
  cluster.add_topic("there", {.replicas = {1, 2}, .isr = {1, 2}});
  cluster.add_broker({.id = 1, .dirs = {directory(1), directory(5)}});
  change(cluster, [](PartitionChanges& changes) {
    const DirectoryId lost[] = {directory(1)};
    generate_offline_directory_updates(NodeId{1}, lost, 0, SIZE_MAX, changes);
  });
  EXPECT_EQ(cluster.lines, (Lines{"Change here-0 isr [2] leader 2"}));
}

TEST(LeaderAndIsr, AReplicaInADirectoryThatIsOfflineIsNotElected) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  cluster.add_broker({.id = 2, .dirs = {directory(77)}});  // without the directory that the partition is in
  cluster.fence({1});
  EXPECT_EQ(cluster.state("a"), "leader 3 epoch 1/1 isr [2 3]");
}

class Elr : public ::testing::Test {
 protected:
  void topic(const TestCluster::PartitionState& state) {
    cluster_.add_topic("a", state);
    cluster_.set_config(2, "a", "min.insync.replicas", "2");
  }
  TestCluster cluster_{{.elr = true}};
};

TEST_F(Elr, MembersOfAnIsrThatWasTooSmallStayEligible) {
  topic({.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  cluster_.fence({3});
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 0/1 isr [1 2]");
  cluster_.fence({2});
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 0/2 isr [1] elr [2]");
  cluster_.fence({1});
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/3 isr [] elr [1 2] last_known [1]");
  cluster_.unfence(3);
  EXPECT_EQ(cluster_.lines, (Lines{"Broker 3 unfenced"})) << "3 was not in sync any more";
  cluster_.unfence(2);
  EXPECT_EQ(cluster_.state("a"), "leader 2 epoch 2/4 isr [2] elr [1]");
}

TEST_F(Elr, AllOfAnIsrAtOnce) {
  topic({.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  cluster_.fence({1, 2, 3});
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/1 isr [] elr [1 2 3] last_known [1]");
}

TEST_F(Elr, WhoIsElectedWhereOneIsEnoughEndsTheEligibilityOfTheOthers) {
  cluster_.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});  // min.insync.replicas 1
  cluster_.fence({1, 2, 3});
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/1 isr [] elr [1 2 3] last_known [1]");
  cluster_.unfence(2);
  EXPECT_EQ(cluster_.state("a"), "leader 2 epoch 2/2 isr [2]");
}

TEST_F(Elr, WhoLostDataIsInNeitherList) {  // cases.md row 25; KAFKA-18106
  topic({.replicas = {1, 2, 3}, .isr = {1}, .elr = {2}});
  cluster_.lose_unclean(2);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 elr []", "Broker 2 fenced"}));
  cluster_.lose_unclean(1);
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/2 isr [] last_known [1]");
}

TEST_F(Elr, TheLastKnownLeaderIsTheLastResort) {
  topic({.replicas = {1, 2, 3}, .isr = {1}});
  cluster_.lose_unclean(1);
  cluster_.unfence(2);
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/1 isr [] last_known [1]");
  cluster_.unfence(1);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 2/2 isr [1] recovering");
}

TEST_F(Elr, MinInsyncReplicasIsBoundedByTheReplicationFactor) {
  cluster_.add_topic("a", {.replicas = {1}, .isr = {1}});
  cluster_.set_config(2, "a", "min.insync.replicas", "3");
  cluster_.fence({1});
  EXPECT_EQ(cluster_.state("a"), "leader -1 epoch 1/1 isr [] elr [1] last_known [1]");
  cluster_.unfence(1);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 2/2 isr [1]");
}

TEST_F(Elr, AnUncleanElectionEmptiesTheElr) {
  topic({.replicas = {1, 2, 3}, .isr = {1}, .elr = {2}});
  cluster_.set_config(2, "a", "unclean.leader.election.enable", "true");
  cluster_.mark_fenced(2, true);
  cluster_.fence({1});
  EXPECT_EQ(cluster_.state("a"), "leader 3 epoch 1/1 isr [3] recovering");
}

TEST(PeriodicElections, UncleanOnesFollowTheConfigWhereverItIsSet) {  // cases.md row 28; KAFKA-12670
  for (const std::string_view level : {"topic", "node", "cluster"}) {
    TestCluster cluster;
    cluster.add_topic("a", {.replicas = {1, 2}, .isr = {1}});
    cluster.fence({1});
    const auto scan = [&] {
      change(cluster, [](PartitionChanges& changes) { elect_unclean_leaders(0, 1000, changes); });
    };
    scan();
    EXPECT_TRUE(cluster.lines.empty());
    const std::string_view key = "unclean.leader.election.enable";
    if (level == "topic") cluster.set_config(2, "a", key, "true");
    if (level == "node") cluster.set_config(4, "3000", key, "true");
    if (level == "cluster") cluster.set_config(4, "", key, "true");
    scan();
    EXPECT_EQ(cluster.state("a"), "leader 2 epoch 2/2 isr [2] recovering") << level;
  }
}

TEST(PeriodicElections, GoOnWhereTheLastSliceEnded) {
  TestCluster cluster;
  cluster.set_config(4, "", "unclean.leader.election.enable", "true");
  for (int i = 0; i < 5; ++i) cluster.add_topic("t" + std::to_string(i), {.replicas = {1}, .isr = {1}, .leader = -1});
  cluster.set_config(2, "t0", "unclean.leader.election.enable", "false");  // looked at, and left as it is
  std::optional<std::uint32_t> next = 0;
  const auto slice = [&](PartitionChanges& changes) { next = elect_unclean_leaders(*next, 3, changes); };
  change(cluster, slice);
  ASSERT_TRUE(next);
  EXPECT_EQ(cluster.lines.size(), 2u);
  change(cluster, slice);
  EXPECT_FALSE(next);
  EXPECT_EQ(cluster.lines.size(), 2u);
}

TEST(PeriodicElections, PreferredLeadersComeBackWhenTheyAreInSync) {
  TestCluster cluster;
  cluster.add_topic("a", {.replicas = {1, 2}, .isr = {2, 1}});
  cluster.add_topic("b", {.replicas = {1, 2}, .isr = {2}});
  change(cluster,
         [](PartitionChanges& changes) { EXPECT_EQ(elect_preferred_leaders(0, 1000, changes), std::nullopt); });
  EXPECT_EQ(cluster.lines, (Lines{"Change a-0 leader 1"}));
}

}  // namespace
}  // namespace hayward::core

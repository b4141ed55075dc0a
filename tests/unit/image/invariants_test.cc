// Each invariant is broken once, and named.
#include "engine/core/invariants.h"

#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

class InvariantsTest : public ImageTest {
 protected:
  void SetUp() override {
    set_metadata_version(30);
    for (std::int32_t id = 1; id <= 3; ++id) apply(broker(id, next_.value));
    apply(topic("foo", 1));
  }
  // "C1" of "C1: ..."; "none".
  std::string broken() {
    const auto found = check(image_);
    return found ? found->substr(0, found->find(':')) : "none";
  }
};

TEST_F(InvariantsTest, ASoundImageHasNone) {
  apply(partition(1, 0, {1, 2, 3}, 1));
  EXPECT_EQ(check(image_), std::nullopt);
}

TEST_F(InvariantsTest, C1LeaderInIsrUnlessRecovering) {
  records::PartitionRecord record = partition(1, 0, {1, 2, 3}, 1);
  record.isr = ids({2, 3});
  apply(record);
  EXPECT_EQ(check(image_), "C1: topic foo partition 0: leader 1 is not in the ISR [2, 3]");
  record.leader_recovery_state = 1;
  apply(record);
  EXPECT_EQ(broken(), "none");
}

TEST_F(InvariantsTest, C2ListsAreWithinTheReplicasAndApart) {
  records::PartitionRecord record = partition(1, 0, {1, 2}, 1);
  record.isr = ids({1, 3});
  apply(record);
  EXPECT_EQ(broken(), "C2");
  record.isr = ids({1});
  record.eligible_leader_replicas = ids({3});
  apply(record);
  EXPECT_EQ(broken(), "C2");
  record.eligible_leader_replicas = ids({1});
  apply(record);
  EXPECT_EQ(broken(), "C2");
  record.eligible_leader_replicas = ids({2});
  apply(record);
  EXPECT_EQ(broken(), "none");
  // One in sync suffices now: no ELR beside it.
  apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1});
  apply(records::ConfigRecord{4, "", "min.insync.replicas", "2"});
  EXPECT_EQ(broken(), "none");
  apply(records::ConfigRecord{2, "foo", "min.insync.replicas", "1"});
  EXPECT_EQ(broken(), "C2");
}

TEST_F(InvariantsTest, C3FencedBrokersAreNotInTheIsrButAsLastMember) {
  apply(broker(4, next_.value, true));
  records::PartitionRecord record = partition(1, 0, {1, 4}, 1);
  apply(record);
  EXPECT_EQ(broken(), "C3");
  record.isr = ids({4});
  record.leader = no_node;
  apply(record);
  EXPECT_EQ(broken(), "none");
  record.isr = Array<NodeId>();
  apply(record);
  EXPECT_EQ(broken(), "C3");
  apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1});
  EXPECT_EQ(broken(), "none");
}

TEST_F(InvariantsTest, C4AFencedBrokerDoesNotLead) {
  apply(partition(1, 0, {1}, 1));
  const BrokerEpoch epoch = image_.cluster().broker(node(1))->epoch;
  apply(records::FenceBrokerRecord{node(1), epoch});
  EXPECT_EQ(broken(), "C4");
  apply(records::UnfenceBrokerRecord{node(1), epoch});
  EXPECT_EQ(broken(), "none");
  apply(records::UnregisterBrokerRecord{node(1), epoch});
  EXPECT_EQ(broken(), "C4");
}

TEST_F(InvariantsTest, C8ABrokersEpochIsNotAboveItsRecordsOffset) {
  apply(broker(4, next_.value + 1));
  EXPECT_EQ(broken(), "C8");
}

TEST_F(InvariantsTest, C17NothingAboveTheFinalizedLevel) {
  set_metadata_version(29);
  EXPECT_EQ(broken(), "none");
  records::RegisterBrokerRecord record = broker(1, next_.value);
  record.cordoned_log_dirs = dirs({1});
  apply(record);
  EXPECT_EQ(broken(), "C17");
  set_metadata_version(30);
  EXPECT_EQ(broken(), "none");
  set_metadata_version(16);
  EXPECT_EQ(broken(), "C17");
}

class InvariantHistoryTest : public InvariantsTest {
 protected:
  std::string observe() {
    const auto found = history_.observe(image_);
    return found ? found->substr(0, found->find(':')) : "none";
  }
  InvariantHistory history_;
};

TEST_F(InvariantHistoryTest, EpochsRise) {
  records::PartitionRecord record = partition(1, 0, {1, 2, 3}, 1);
  record.leader_epoch = LeaderEpoch{5};
  record.partition_epoch = PartitionEpoch{5};
  apply(record);
  EXPECT_EQ(observe(), "none");
  EXPECT_EQ(observe(), "none");
  records::PartitionChangeRecord next = change(1, 0);
  next.leader = node(2);
  apply(next);
  apply(next);
  EXPECT_EQ(observe(), "none");
  EXPECT_EQ(at(1, 0).leader_epoch, LeaderEpoch{7});
  record.leader_epoch = LeaderEpoch{7};
  record.partition_epoch = PartitionEpoch{8};
  record.leader = node(3);  // another leader in the same epoch
  apply(record);
  EXPECT_EQ(observe(), "C5");
  record.leader = no_node;
  apply(record);
  EXPECT_EQ(observe(), "C6");
  record.leader_epoch = LeaderEpoch{6};
  apply(record);
  EXPECT_EQ(observe(), "C6");
  record.isr = ids({1});
  apply(record);
  EXPECT_EQ(observe(), "C7");
  record.partition_epoch = PartitionEpoch{7};
  apply(record);
  EXPECT_EQ(observe(), "C7");
}

TEST_F(InvariantHistoryTest, BrokerEpochsRise) {
  apply(broker(1, 100));
  EXPECT_EQ(observe(), "none");
  apply(broker(1, 100));  // the same incarnation
  EXPECT_EQ(observe(), "none");
  apply(records::UnregisterBrokerRecord{node(1), BrokerEpoch{100}});
  EXPECT_EQ(observe(), "none");
  apply(broker(1, 99));
  EXPECT_EQ(observe(), "C8");
}

TEST_F(InvariantHistoryTest, C18TopicIdsAndProducerIdsAreNeverUsedAgain) {
  EXPECT_EQ(observe(), "none");
  apply(records::RemoveTopicRecord{topic_id(1)});
  EXPECT_EQ(observe(), "none");
  apply(topic("foo", 2));
  EXPECT_EQ(observe(), "none");
  apply(topic("bar", 1));
  EXPECT_EQ(observe(), "C18");
}

}  // namespace
}  // namespace hayward::core::testing

// Records about topics and partitions: what they do, and what is refused.
#include "engine/core/invariants.h"
#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

using TopicsReplay = ImageTest;

TEST_F(TopicsReplay, TopicsAreFoundByIdAndName) {
  apply(topic("foo", 1));
  apply(topic("bar", 2));
  EXPECT_EQ(image_.topics().find("foo")->id, topic_id(1));
  EXPECT_EQ(image_.topics().find(topic_id(2))->name, "bar");
  EXPECT_EQ(image_.topics().find("baz"), nullptr);
  EXPECT_NE(refuse(topic("foo", 3)).find("the name has id"), std::string::npos);
  EXPECT_NE(refuse(topic("new", 2)).find("the id is topic bar"), std::string::npos);
}

TEST_F(TopicsReplay, NamesThatCollideAreFound) {
  apply(topic("a.b", 1));
  ASSERT_NE(image_.topics().colliding_name("a_b"), nullptr);
  EXPECT_EQ(*image_.topics().colliding_name("a_b"), "a.b");
  EXPECT_EQ(image_.topics().colliding_name("ab"), nullptr);
  EXPECT_EQ(image_.topics().colliding_name("a_c"), nullptr);
  apply(records::RemoveTopicRecord{topic_id(1)});
  EXPECT_EQ(image_.topics().colliding_name("a_b"), nullptr);
}

TEST_F(TopicsReplay, PartitionRecordSetsEverything) {
  apply(topic("foo", 1));
  records::PartitionRecord record = partition(1, 0, {1, 2, 3}, 2);
  record.isr = ids({2, 1});
  record.removing_replicas = ids({3});
  record.adding_replicas = ids({1});
  record.leader_recovery_state = 1;
  record.leader_epoch = LeaderEpoch{5};
  record.partition_epoch = PartitionEpoch{7};
  record.directories = dirs({11, 12, 13});
  record.eligible_leader_replicas = ids({3});
  record.last_known_elr = ids({1});
  apply(record);
  const Partition& found = at(1, 0);
  EXPECT_EQ(list(found.replicas()), nodes({1, 2, 3}));
  EXPECT_EQ(list(found.isr()), nodes({2, 1}));
  EXPECT_EQ(list(found.removing_replicas()), nodes({3}));
  EXPECT_EQ(list(found.adding_replicas()), nodes({1}));
  EXPECT_EQ(list(found.elr()), nodes({3}));
  EXPECT_EQ(list(found.last_known_elr()), nodes({1}));
  EXPECT_EQ(found.leader, node(2));
  EXPECT_EQ(found.leader_epoch, LeaderEpoch{5});
  EXPECT_EQ(found.partition_epoch, PartitionEpoch{7});
  EXPECT_EQ(found.leader_recovery_state, LeaderRecoveryState::recovering);
  EXPECT_EQ(*found.directory_of(node(3)), dir_id(13));
  EXPECT_EQ(found.directory_of(node(4)), nullptr);
  EXPECT_EQ(image_.topics().topic_of(found).name, "foo");
}

TEST_F(TopicsReplay, PartitionRecordsOfEveryVersion) {
  apply(topic("foo", 1));
  for (std::int16_t version = 0; version <= 2; ++version) {
    records::PartitionRecord record = partition(1, version, {1, 2}, 1);
    record.directories = dirs({1, 2});
    record.eligible_leader_replicas = ids({2});
    apply(record, version);
  }
  EXPECT_EQ(list(at(1, 0).directories()), std::vector<DirectoryId>(2, directory_migrating));
  EXPECT_EQ(at(1, 1).directories()[1], dir_id(2));
  EXPECT_TRUE(at(1, 1).elr().empty());
  EXPECT_EQ(list(at(1, 2).elr()), nodes({2}));
}

TEST_F(TopicsReplay, PartitionsThatCannotBeAreRefused) {
  EXPECT_NE(refuse(partition(1, 0, {1}, 1)).find("no such topic"), std::string::npos);
  apply(topic("foo", 1));
  records::PartitionRecord record = partition(1, 0, {1, 2}, 1);
  record.directories = dirs({1});
  EXPECT_NE(refuse(record).find("one directory for each of 2 replicas"), std::string::npos);
  record.directories = {};
  record.leader_recovery_state = 2;
  EXPECT_NE(refuse(record).find("LeaderRecoveryState"), std::string::npos);
}

TEST_F(TopicsReplay, ThePartitionEpochRisesWithEveryChangeTheLeaderEpochWithTheLeaderField) {
  apply(topic("foo", 1));
  apply(partition(1, 0, {1, 2, 3}, 1));
  apply(change(1, 0));
  EXPECT_EQ(at(1, 0).partition_epoch, PartitionEpoch{1});
  EXPECT_EQ(at(1, 0).leader_epoch, LeaderEpoch{0});
  records::PartitionChangeRecord record = change(1, 0);
  record.leader = node(1);  // the same
  apply(record, 0);
  EXPECT_EQ(at(1, 0).partition_epoch, PartitionEpoch{2});
  EXPECT_EQ(at(1, 0).leader_epoch, LeaderEpoch{1});
  record.leader = no_node;
  record.isr = ids({2});
  record.leader_recovery_state = 1;
  apply(record, 1);
  EXPECT_FALSE(at(1, 0).has_leader());
  EXPECT_EQ(list(at(1, 0).isr()), nodes({2}));
  EXPECT_EQ(at(1, 0).leader_recovery_state, LeaderRecoveryState::recovering);
  record = change(1, 0);
  apply(record);
  EXPECT_EQ(at(1, 0).leader_recovery_state, LeaderRecoveryState::recovering);
  record.eligible_leader_replicas = ids({3});
  record.last_known_elr = ids({1});
  apply(record);
  EXPECT_EQ(list(at(1, 0).elr()), nodes({3}));
  EXPECT_EQ(list(at(1, 0).last_known_elr()), nodes({1}));
  record = change(1, 0);
  record.eligible_leader_replicas = Array<NodeId>();
  apply(record);
  EXPECT_TRUE(at(1, 0).elr().empty());
  EXPECT_EQ(list(at(1, 0).last_known_elr()), nodes({1}));
}

TEST_F(TopicsReplay, DirectoriesFollowTheReplicas) {
  apply(topic("foo", 1));
  apply(partition(1, 0, {1, 2}, 1));
  records::PartitionChangeRecord record = change(1, 0);
  record.replicas = ids({1, 2, 3});
  apply(record);  // all MIGRATING before: the new list too
  EXPECT_EQ(list(at(1, 0).directories()), std::vector<DirectoryId>(3, directory_migrating));
  record.replicas = Array<NodeId>::null();
  record.directories = dirs({1, 2, 3});
  apply(record);
  EXPECT_EQ(at(1, 0).directories()[2], dir_id(3));
  record.replicas = ids({1, 2});
  EXPECT_NE(refuse(record).find("one directory for each of 2 replicas"), std::string::npos);
  record.directories = Array<DirectoryId>::null();
  EXPECT_NE(refuse(record).find("one directory for each of 2 replicas"), std::string::npos);
  record.directories = dirs({1, 2});
  apply(record);
  record.replicas = Array<NodeId>::null();
  record.directories = Array<DirectoryId>();
  apply(record);
  EXPECT_EQ(at(1, 0).directories()[0], directory_migrating);
}

TEST_F(TopicsReplay, ChangesThatCannotBeAreRefused) {
  EXPECT_NE(refuse(change(1, 0)).find("no such topic"), std::string::npos);
  apply(topic("foo", 1));
  EXPECT_NE(refuse(change(1, 0)).find("no such partition"), std::string::npos);
  records::PartitionRecord record = partition(1, 0, {1}, 1);
  record.leader_epoch = LeaderEpoch{INT32_MAX};
  apply(record);
  records::PartitionChangeRecord last = change(1, 0);
  last.leader = node(1);
  EXPECT_NE(refuse(last).find("an epoch that cannot rise"), std::string::npos);
  last.leader = node(-2);
  last.leader_recovery_state = 5;
  EXPECT_NE(refuse(last).find("LeaderRecoveryState"), std::string::npos);
}

TEST_F(TopicsReplay, RemoveTopicTakesItsConfigsAlong) {
  apply(topic("foo", 1));
  apply(topic("bar", 2));
  apply(partition(1, 0, {1, 2}, 1));
  apply(partition(2, 0, {1, 2}, 1));
  apply(records::ConfigRecord{2, "foo", "retention.ms", "1"});
  apply(records::ConfigRecord{2, "foo", "segment.ms", "1"});
  apply(records::ConfigRecord{2, "bar", "retention.ms", "1"});
  apply(records::ConfigRecord{4, "foo", "retention.ms", "1"});
  apply(records::RemoveTopicRecord{topic_id(1)});
  EXPECT_EQ(image_.topics().find("foo"), nullptr);
  EXPECT_EQ(image_.topics().find(topic_id(1)), nullptr);
  EXPECT_EQ(image_.topics().partition_count(), 1u);
  EXPECT_TRUE(image_.configs().of(ConfigResourceType::topic, "foo").empty());
  EXPECT_EQ(image_.configs().all().size(), 2u);
  EXPECT_EQ(image_.topics().led_by(node(1)).size(), 1u);
  EXPECT_NE(refuse(records::RemoveTopicRecord{topic_id(1)}).find("no such topic"), std::string::npos);
}

TEST_F(TopicsReplay, ClearElrEmptiesBothListsAndRaisesThePartitionEpochWhereThereWasOne) {
  apply(topic("foo", 1));
  apply(topic("bar", 2));
  for (std::uint64_t t = 1; t <= 2; ++t) {
    records::PartitionRecord record = partition(t, 0, {1, 2, 3}, 1);
    record.isr = ids({1});
    record.eligible_leader_replicas = ids({2});
    apply(record);
    record.partition_id = PartitionIndex{1};
    record.eligible_leader_replicas = {};
    record.last_known_elr = ids({3});
    apply(record);
    record.partition_id = PartitionIndex{2};
    record.last_known_elr = {};
    apply(record);
  }
  apply(records::ClearElrRecord{"foo"});
  EXPECT_TRUE(at(1, 0).elr().empty());
  EXPECT_TRUE(at(1, 1).last_known_elr().empty());
  EXPECT_EQ(at(1, 0).partition_epoch, PartitionEpoch{1});
  EXPECT_EQ(at(1, 2).partition_epoch, PartitionEpoch{0});
  EXPECT_EQ(list(at(2, 0).elr()), nodes({2}));
  apply(records::ClearElrRecord{""});
  EXPECT_TRUE(at(2, 0).elr().empty());
  EXPECT_TRUE(at(2, 1).last_known_elr().empty());
  EXPECT_EQ(at(1, 0).partition_epoch, PartitionEpoch{1});
  EXPECT_EQ(at(1, 0).leader_epoch, LeaderEpoch{0});
  EXPECT_NE(refuse(records::ClearElrRecord{"baz"}).find("no such topic"), std::string::npos);
}

TEST_F(TopicsReplay, PartitionsMayBeNumberedAnyhow) {
  apply(topic("foo", 1));
  for (std::int32_t index : {5, 0, 9, -3, 2}) apply(partition(1, index, {1}, 1));
  for (std::int32_t index : {5, 0, 9, -3, 2}) EXPECT_EQ(at(1, index).index, PartitionIndex{index});
  EXPECT_EQ(image_.topics().partition(topic_id(1), PartitionIndex{1}), nullptr);
  EXPECT_EQ(image_.topics().partition(topic_id(1), PartitionIndex{10}), nullptr);
  EXPECT_EQ(check_indexes(image_.topics()), std::nullopt);
}

TEST_F(TopicsReplay, IndexesAreWalkedInSlices) {
  apply(topic("foo", 1));
  for (std::int32_t index = 0; index < 10; ++index) apply(partition(1, index, {1, 2}, 1));
  // Takes every partition's leader away while walking, two at a time.
  std::uint32_t from = 0;
  std::vector<std::int32_t> seen;
  while (true) {
    std::vector<PartitionIndex> slice;
    for (std::optional<std::uint32_t> slot; slice.size() < 2; from = *slot + 1) {
      slot = image_.topics().led_by(node(1)).next_slot(from);
      if (!slot) break;
      slice.push_back(image_.topics().at_slot(*slot).index);
    }
    if (slice.empty()) break;
    for (PartitionIndex index : slice) {
      seen.push_back(index.value);
      records::PartitionChangeRecord record = change(1, index.value);
      record.leader = node(2);
      apply(record);
    }
  }
  EXPECT_EQ(seen, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(image_.topics().led_by(node(1)).empty());
  EXPECT_EQ(image_.topics().imbalanced().size(), 10u);
}

}  // namespace
}  // namespace hayward::core::testing

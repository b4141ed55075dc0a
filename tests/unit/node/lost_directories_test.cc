// A broker loses a directory that holds more partitions than one event may change: they leave it in slices, the
// record about the directory comes last, and meanwhile nobody leads from there.
#include <gtest/gtest.h>

#include "broker_slices.h"
#include "schemas/messages/assign_replicas_to_dirs_request.h"
#include "schemas/messages/assign_replicas_to_dirs_response.h"

namespace hayward::core {
namespace {

const DirectoryId lost{Uuid{77, 1}}, kept{Uuid{77, 101}}, third{Uuid{77, 201}};

// Broker 1 has three directories: t-0 to t-9 are in the one that it will lose, t-10 to t-19 in another.
class LostDirectories : public BrokerSlices {
 protected:
  LostDirectories() {
    auto request = registration(1, 1);
    request.log_dirs.push_back(arena, kept);
    request.log_dirs.push_back(arena, third);
    EXPECT_EQ(machine.asked<BrokerRegistrationResponse>(request).error_code, ErrorCode::none);
    beat(1);
    for (const std::int32_t id : {2, 3}) {
      EXPECT_EQ(enroll(id, static_cast<std::uint64_t>(id)).error_code, ErrorCode::none);
      beat(id);
    }
    create_topic("t", 20, {1, 2, 3});
    assign(lost, 0, 10);
    assign(kept, 10, 20);
  }
  void assign(DirectoryId directory, std::int32_t from, std::int32_t to) {
    AssignReplicasToDirsRequest request;
    request.broker_id = NodeId{1};
    request.broker_epoch = broker(1).epoch;
    auto& data = request.directories.push_back(arena);
    data.id = directory;
    auto& topic = data.topics.push_back(arena);
    topic.topic_id = image().topics().find("t")->id;
    for (std::int32_t i = from; i < to; ++i) topic.partitions.push_back(arena).partition_index = PartitionIndex{i};
    EXPECT_EQ(machine.asked<AssignReplicasToDirsResponse>(request).error_code, ErrorCode::none);
  }
  BrokerHeartbeatRequest losing(std::initializer_list<DirectoryId> directories) {
    BrokerHeartbeatRequest request = heartbeat(1);
    for (const DirectoryId directory : directories) request.offline_log_dirs.push_back(arena, directory);
    return request;
  }
  BrokerHeartbeatResponse lose(std::initializer_list<DirectoryId> directories) {
    return machine.asked<BrokerHeartbeatResponse>(losing(directories));
  }
  bool has_left(std::int32_t index) { return !partition("t", index).in_isr(NodeId{1}); }
  std::size_t registered_directories() { return broker(1).log_dirs.size(); }
  void expect_moved_away() {
    for (std::int32_t i = 0; i < 20; ++i) EXPECT_EQ(has_left(i), i < 10) << i;
    EXPECT_FALSE(broker(1).has_online_dir(lost));
    EXPECT_TRUE(broker(1).has_online_dir(kept));
    EXPECT_FALSE(broker(1).fenced);
  }
};

TEST_F(LostDirectories, PartitionsLeaveInSlicesAndTheDirectorysRecordIsLast) {
  const auto answer = lose({lost});
  EXPECT_EQ(answer.error_code, ErrorCode::none);
  EXPECT_FALSE(answer.is_fenced);
  EXPECT_EQ(in_isr_of(1), 20u) << "nothing is done in the event itself";
  std::string records;
  std::size_t changes = 0, slices = 0;
  while (registered_directories() == 3) {
    records = run_slice();
    EXPECT_LE(changes_in(records), slice);
    changes += changes_in(records);
    ASSERT_LE(++slices, 10u);
  }
  EXPECT_EQ(changes, 10u);
  EXPECT_GE(slices, 5u) << "20 partitions are looked at, 4 at a time";
  EXPECT_NE(records.find("BrokerRegistrationChange"), std::string::npos);
  expect_moved_away();
  EXPECT_EQ(run_slice(), "");
}

TEST_F(LostDirectories, TheSameHeartbeatAgainChangesNothing) {
  lose({lost});
  run_slice();
  const Offset end = machine.disk.end();
  EXPECT_EQ(lose({lost}).error_code, ErrorCode::none);
  EXPECT_EQ(machine.disk.end(), end) << "it is under way";
  finish();
  const Offset after = machine.disk.end();
  lose({lost});
  finish();
  EXPECT_EQ(machine.disk.end(), after) << "and now it is recorded";
  expect_moved_away();
}

TEST_F(LostDirectories, FewPartitionsLeaveInTheEventItself) {
  machine.config.partitions_per_slice = 100;
  machine.bring_up_again();
  lose({lost});
  expect_moved_away();
}

TEST_F(LostDirectories, NobodyIsElectedFromThereMeanwhile) {
  lose({lost});
  run_slice();
  const std::size_t before = machine.disk.batches.size();
  expire({2, 3});
  finish();
  for (std::int32_t i = 0; i < 10; ++i) EXPECT_EQ(partition("t", i).leader, no_node) << i;
  for (std::int32_t i = 10; i < 20; ++i) EXPECT_EQ(partition("t", i).leader, NodeId{1}) << i;
  std::string records;
  for (std::size_t i = before; i < machine.disk.batches.size(); ++i) {
    records += describe_batch(machine.disk.batches[i]->bytes) + "; ";
  }
  for (std::int32_t i = 0; i < 10; ++i) {
    const std::string led = "partition " + std::to_string(i) + " leader 1";
    EXPECT_EQ(records.find(led), std::string::npos) << records;
  }
}

TEST_F(LostDirectories, WhatIsPutThereMeanwhileLeavesAtOnce) {
  lose({lost});
  run_slice();
  assign(lost, 15, 16);
  EXPECT_TRUE(has_left(15));
  finish();
  EXPECT_TRUE(has_left(15));
  EXPECT_FALSE(has_left(16));
}

TEST_F(LostDirectories, AnotherOneLostMeanwhileIsAddedToTheStep) {
  lose({lost});
  run_slice();
  lose({lost, kept});
  finish();
  for (std::int32_t i = 0; i < 20; ++i) EXPECT_TRUE(has_left(i)) << i;
  EXPECT_EQ(registered_directories(), 1u);
}

TEST_F(LostDirectories, AfterAFailoverTheHeartbeatBringsItAboutAgain) {  // cases.md row 22
  lose({lost});
  run_slice();
  machine.flush();
  run_slice();  // is lost
  machine.bring_up_again();
  EXPECT_EQ(registered_directories(), 3u) << "so the next heartbeat tells of it again";
  EXPECT_GT(in_isr_of(1), 10u);
  finish();
  EXPECT_GT(in_isr_of(1), 10u) << "the log alone does not say it";
  lose({lost});
  finish();
  expect_moved_away();
}

TEST_F(LostDirectories, AFenceMeanwhileComesFirstAndBothAreRecorded) {
  lose({lost});
  run_slice();
  expire({1});
  finish();
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(in_isr_of(1), 0u);
  EXPECT_EQ(registered_directories(), 2u);
}

TEST_F(LostDirectories, ANewIncarnationEndsTheWork) {
  lose({lost});
  run_slice();
  expire({1});
  while (!broker(1).fenced) run_slice();
  EXPECT_EQ(registered_directories(), 3u);
  auto request = registration(1, 99);
  request.log_dirs.push_back(arena, kept);
  machine.asked<BrokerRegistrationResponse>(request);
  const Offset end = machine.disk.end();
  finish();
  EXPECT_EQ(machine.disk.end(), end);
  EXPECT_EQ(registered_directories(), 2u) << "what it says of itself counts";
}

TEST_F(LostDirectories, UnfencedIntoManyPartitionsItLeadsNoneFromThere) {
  expire({1, 2, 3});
  finish();
  const std::size_t leaderless = image().topics().leaderless().size();
  ASSERT_EQ(leaderless, 20u);
  std::vector<std::int32_t> last_of_1;
  for (std::int32_t i = 0; i < 20; ++i) {
    if (!has_left(i)) last_of_1.push_back(i);
  }
  ASSERT_GT(last_of_1.size(), slice);
  EXPECT_FALSE(lose({lost}).is_fenced);
  finish();
  for (const std::int32_t i : last_of_1) EXPECT_EQ(partition("t", i).leader, i < 10 ? no_node : NodeId{1}) << i;
  EXPECT_EQ(registered_directories(), 2u);
}

}  // namespace
}  // namespace hayward::core

// AlterPartition: what a leader may ask for, and Kafka's order of saying no.
#include "engine/core/control/alter_partition.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::AlterPartitionRequest;
using Response = messages::AlterPartitionResponse;

struct Ask {
  std::string_view topic = "a";
  std::int32_t index = 0;
  Ids isr{};
  std::int32_t leader_epoch = 0;
  std::int32_t partition_epoch = 0;
  std::int8_t recovery = 0;
  std::int64_t epoch_of_last = -2;  // of the last ISR member; -2: its present one
};

class AlterPartition : public ::testing::Test {
 protected:
  AlterPartition() { id_ = cluster_.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2}}); }

  Request request(std::int32_t broker, const std::vector<Ask>& asks) {
    Request request;
    request.broker_id = NodeId{broker};
    if (cluster_.image.cluster().broker(NodeId{broker}) != nullptr) request.broker_epoch = cluster_.epoch_of(broker);
    for (const Ask& ask : asks) {
      auto& topic = request.topics.push_back(cluster_.arena);
      topic.topic_id = cluster_.topic(ask.topic).id;
      auto& partition = topic.partitions.push_back(cluster_.arena);
      partition.partition_index = PartitionIndex{ask.index};
      partition.leader_epoch = LeaderEpoch{ask.leader_epoch};
      partition.partition_epoch = PartitionEpoch{ask.partition_epoch};
      partition.leader_recovery_state = ask.recovery;
      for (std::int32_t id : ask.isr) {
        auto& member = partition.new_isr_with_epochs.push_back(cluster_.arena);
        member.broker_id = NodeId{id};
        const BrokerRegistration* broker_now = cluster_.image.cluster().broker(NodeId{id});
        if (broker_now != nullptr) member.broker_epoch = broker_now->epoch;
        if (ask.epoch_of_last != -2 && id == ask.isr.back()) member.broker_epoch = BrokerEpoch{ask.epoch_of_last};
      }
    }
    return request;
  }
  Response alter(const Request& request, std::int16_t version = 3) {
    return cluster_.run(
        [&](const HandlerContext& context, RecordList& records) { return alter_partition(context, request, records); },
        version);
  }
  Response::PartitionData one(std::int32_t broker, const Ask& ask) {
    const Response response = alter(request(broker, {ask}));
    EXPECT_EQ(response.error_code, ErrorCode::none);
    return response.topics[0].partitions[0];
  }
  ErrorCode error(std::int32_t broker, const Ask& ask) {
    const auto answer = one(broker, ask);
    EXPECT_TRUE(cluster_.lines.empty());
    EXPECT_EQ(answer.leader_id, NodeId{0});
    EXPECT_TRUE(answer.isr.empty());
    return answer.error_code;
  }

  TestCluster cluster_;
  TopicId id_;
};

TEST_F(AlterPartition, GrowsAndShrinksTheIsrWithoutAnotherLeaderEpoch) {  // cases.md row 17; KAFKA-15021
  const auto grown = one(1, {.isr = {1, 2, 3}});
  EXPECT_EQ(grown.error_code, ErrorCode::none);
  EXPECT_EQ(ids(grown.isr), (Ids{1, 2, 3}));
  EXPECT_EQ(grown.leader_id, NodeId{1});
  EXPECT_EQ(grown.partition_epoch, PartitionEpoch{1});
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 isr [1 2 3]"}));
  one(1, {.isr = {1}, .partition_epoch = 1});
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 0/2 isr [1]");
  EXPECT_FALSE(cluster_.atomic);
}

TEST_F(AlterPartition, BelowLevel12AShrunkIsrRaisesTheLeaderEpoch) {
  TestCluster old({.metadata_version = 11});
  old.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  Request request;
  request.broker_id = NodeId{1};
  request.broker_epoch = old.epoch_of(1);
  auto& topic = request.topics.push_back(old.arena);
  topic.topic_id = old.topic("a").id;
  topic.partitions.push_back(old.arena).new_isr.push_back(old.arena, NodeId{1});
  old.run(
      [&](const HandlerContext& context, RecordList& records) { return alter_partition(context, request, records); },
      2);
  EXPECT_EQ(old.state("a"), "leader 1 epoch 1/1 isr [1]");
}

TEST_F(AlterPartition, NothingNewWritesNothing) {  // cases.md row 32; KAFKA-16624
  const auto same = one(1, {.isr = {1, 2}});
  EXPECT_EQ(same.error_code, ErrorCode::none);
  EXPECT_EQ(same.partition_epoch, PartitionEpoch{0});
  EXPECT_EQ(ids(same.isr), (Ids{1, 2}));
  EXPECT_TRUE(cluster_.lines.empty());
  one(1, {.isr = {2, 1}});
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 isr [2 1]"})) << "another order is a change";
}

TEST_F(AlterPartition, Version2HasNoBrokerEpochs) {
  Request request;
  request.broker_id = NodeId{1};
  request.broker_epoch = cluster_.epoch_of(1);
  auto& topic = request.topics.push_back(cluster_.arena);
  topic.topic_id = id_;
  auto& partition = topic.partitions.push_back(cluster_.arena);
  for (std::int32_t id : {1, 2, 3}) partition.new_isr.push_back(cluster_.arena, NodeId{id});
  EXPECT_EQ(alter(request, 2).topics[0].partitions[0].error_code, ErrorCode::none);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 0/1 isr [1 2 3]");
}

TEST_F(AlterPartition, AStaleOrUnknownBrokerIsRefusedWhole) {
  Request stale = request(1, {{.isr = {1}}});
  stale.broker_epoch = BrokerEpoch{stale.broker_epoch.value - 1};
  EXPECT_EQ(alter(stale).error_code, ErrorCode::stale_broker_epoch);
  Request unknown = request(9, {{.isr = {1}}});
  EXPECT_EQ(alter(unknown).error_code, ErrorCode::stale_broker_epoch);
  EXPECT_TRUE(alter(unknown).topics.empty());
  Request empty = request(9, {});
  EXPECT_EQ(alter(empty).error_code, ErrorCode::none);
}

TEST_F(AlterPartition, UnknownTopicAndPartition) {
  Request other = request(1, {{.isr = {1}}, {.index = 4, .isr = {1}}});
  other.topics[0].topic_id = TopicId{};
  const auto response = alter(other);
  EXPECT_EQ(response.topics[0].partitions[0].error_code, ErrorCode::unknown_topic_id);
  EXPECT_EQ(response.topics[1].partitions[0].error_code, ErrorCode::unknown_topic_or_partition);
}

TEST_F(AlterPartition, EpochsAreComparedBothWays) {  // cases.md row 16; KAFKA-14154
  one(1, {.isr = {1}});
  cluster_.fence({1});  // leader -1, epochs 1/2
  cluster_.unfence(1);  // leader 1, epochs 2/3
  ASSERT_EQ(cluster_.state("a"), "leader 1 epoch 2/3 isr [1]");
  EXPECT_EQ(error(1, {.isr = {1}, .leader_epoch = 3, .partition_epoch = 3}), ErrorCode::not_controller);
  EXPECT_EQ(error(1, {.isr = {1}, .leader_epoch = 2, .partition_epoch = 4}), ErrorCode::not_controller);
  EXPECT_EQ(error(1, {.isr = {1}, .leader_epoch = 1, .partition_epoch = 3}), ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(error(1, {.isr = {1}, .leader_epoch = 2, .partition_epoch = 2}), ErrorCode::invalid_update_version);
  EXPECT_EQ(error(2, {.isr = {2}, .leader_epoch = 2, .partition_epoch = 2}), ErrorCode::invalid_request) << "no leader";
}

TEST_F(AlterPartition, TheIsrMustMakeSense) {
  for (const Ids& isr : std::vector<Ids>{{}, {2, 3}, {1, 1}, {1, 4}, {1, -1}}) {
    EXPECT_EQ(error(1, {.isr = isr}), ErrorCode::invalid_request);
  }
}

TEST_F(AlterPartition, OnlyLivingReplicasOfThePresentIncarnationJoin) {  // cases.md row 14; KAFKA-13916, KIP-903
  EXPECT_EQ(error(1, {.isr = {1, 2, 3}, .epoch_of_last = 1}), ErrorCode::ineligible_replica);
  cluster_.mark_fenced(3, true);
  EXPECT_EQ(error(1, {.isr = {1, 2, 3}}), ErrorCode::ineligible_replica);
  cluster_.add_broker({.id = 3, .shutting_down = true});
  EXPECT_EQ(error(1, {.isr = {1, 2, 3}}), ErrorCode::ineligible_replica);
  cluster_.add_broker({.id = 3});
  cluster_.ineligible = {NodeId{3}};
  EXPECT_EQ(error(1, {.isr = {1, 2, 3}}), ErrorCode::ineligible_replica) << "being fenced in slices";
  cluster_.ineligible = {};
  EXPECT_EQ(one(1, {.isr = {1, 2, 3}, .epoch_of_last = -1}).error_code, ErrorCode::none);
}

TEST_F(AlterPartition, RecoveryIsReportedOnce) {
  cluster_.add_topic("r", {.replicas = {1, 2}, .isr = {1}, .recovering = true});
  EXPECT_EQ(error(1, {.topic = "r", .isr = {1, 2}, .recovery = 1}), ErrorCode::invalid_request);
  EXPECT_EQ(error(1, {.topic = "r", .isr = {1}, .recovery = 7}), ErrorCode::invalid_request) << "Java fails over";
  EXPECT_EQ(error(1, {.topic = "r", .isr = {1}, .recovery = -1}), ErrorCode::invalid_request);
  const auto recovered = one(1, {.topic = "r", .isr = {1, 2}});
  EXPECT_EQ(recovered.leader_recovery_state, 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Change r-0 isr [1 2] recovery 0"}));
  EXPECT_EQ(error(1, {.topic = "r", .isr = {1}, .partition_epoch = 1, .recovery = 1}), ErrorCode::invalid_request);
}

TEST_F(AlterPartition, TheEndOfAReassignmentMayMoveTheLeader) {
  cluster_.add_topic("m", {.replicas = {2, 3, 1}, .isr = {1, 2}, .adding = {2, 3}, .removing = {1}});
  const auto moved = one(1, {.topic = "m", .isr = {1, 2, 3}});
  EXPECT_EQ(moved.error_code, ErrorCode::new_leader_elected);
  EXPECT_EQ(cluster_.lines,
            (Lines{"Change m-0 replicas [2 3] isr [2 3] leader 2 adding [] removing [] dirs [200 300]"}));
}

TEST_F(AlterPartition, AReassignmentWaitsForEveryNewReplica) {
  cluster_.add_topic("m", {.replicas = {2, 3, 1}, .isr = {1}, .adding = {2, 3}, .removing = {1}});
  EXPECT_EQ(one(1, {.topic = "m", .isr = {1, 2}}).error_code, ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change m-0 isr [1 2]"}));
}

TEST_F(AlterPartition, WhileReplicasBecomeFewerItWaitsForAllThatRemain) {
  cluster_.add_topic("m", {.replicas = {1, 2, 3}, .isr = {1}, .removing = {3}});
  EXPECT_EQ(one(1, {.topic = "m", .isr = {1, 3}}).error_code, ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change m-0 isr [1 3]"}));
  EXPECT_EQ(one(1, {.topic = "m", .isr = {1, 2}, .partition_epoch = 1}).error_code, ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change m-0 replicas [1 2] isr [1 2] leader 1 removing [] dirs [100 200]"}));
}

TEST_F(AlterPartition, APartitionTwiceInTheRequestChangesOnce) {  // C9: the second one is stale by then
  const auto response = alter(request(1, {{.isr = {1}}, {.isr = {1, 2, 3}}}));
  EXPECT_EQ(response.topics[0].partitions[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[1].partitions[0].error_code, ErrorCode::invalid_update_version);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 0/1 isr [1]");
}

TEST_F(AlterPartition, WithElrWhoLeavesASmallIsrStaysEligible) {
  TestCluster elr({.elr = true});
  elr.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  elr.set_config(2, "a", "min.insync.replicas", "2");
  std::int32_t partition_epoch = 0;
  const auto alter_to = [&](const Ids& isr) {
    Request request;
    request.broker_id = NodeId{1};
    request.broker_epoch = elr.epoch_of(1);
    auto& topic = request.topics.push_back(elr.arena);
    topic.topic_id = elr.topic("a").id;
    auto& partition = topic.partitions.push_back(elr.arena);
    partition.partition_epoch = PartitionEpoch{partition_epoch++};
    for (std::int32_t id : isr) partition.new_isr_with_epochs.push_back(elr.arena).broker_id = NodeId{id};
    elr.run(
        [&](const HandlerContext& context, RecordList& records) { return alter_partition(context, request, records); },
        3);
  };
  alter_to({1, 2});
  EXPECT_EQ(elr.state("a"), "leader 1 epoch 0/1 isr [1 2]") << "still min.insync.replicas";
  alter_to({1});
  EXPECT_EQ(elr.state("a"), "leader 1 epoch 0/2 isr [1] elr [2]");
  alter_to({1, 3});
  EXPECT_EQ(elr.state("a"), "leader 1 epoch 0/3 isr [1 3]");
}

// cases.md row 29: it was in no ISR before, and is in this one: nothing is lost, nothing is to be recovered from.
TEST_F(AlterPartition, Row29_TheLastOneToJoinAReassignmentIsElectedCleanly) {
  cluster_.add_topic("r", {.replicas = {3, 1, 2}, .isr = {1, 2}, .adding = {3}, .removing = {1, 2}});
  EXPECT_EQ(one(1, {.topic = "r", .isr = {1, 2, 3}}).error_code, ErrorCode::new_leader_elected);
  EXPECT_EQ(cluster_.lines, Lines{"Change r-0 replicas [3] isr [3] leader 3 adding [] removing [] dirs [300]"});
  EXPECT_EQ(cluster_.partition("r").leader_recovery_state, LeaderRecoveryState::recovered);
}

}  // namespace
}  // namespace hayward::core

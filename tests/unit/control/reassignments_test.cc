// AlterPartitionReassignments and ListPartitionReassignments.
#include <gtest/gtest.h>

#include "cluster.h"
#include "engine/core/control/alter_partition_reassignments.h"
#include "engine/core/control/list_partition_reassignments.h"
#include "engine/core/control/reassignment.h"

namespace hayward::core {
namespace {

using Request = messages::AlterPartitionReassignmentsRequest;
using Response = messages::AlterPartitionReassignmentsResponse;
using ListRequest = messages::ListPartitionReassignmentsRequest;

class Reassignments : public ::testing::Test {
 protected:
  Reassignments() : cluster_({.brokers = 5}) {}

  Request request(std::string_view topic, const std::optional<Ids>& target, std::int32_t index = 0) {
    Request request;
    auto& wanted_topic = request.topics.push_back(cluster_.arena);
    wanted_topic.name = topic;
    auto& wanted = wanted_topic.partitions.push_back(cluster_.arena);
    wanted.partition_index = PartitionIndex{index};
    if (!target) return request;
    wanted.replicas = Array<NodeId>();
    for (std::int32_t id : *target) wanted.replicas.push_back(cluster_.arena, NodeId{id});
    return request;
  }
  Response alter(const Request& request) {
    return cluster_.run([&](const HandlerContext& context, RecordList& records) {
      return alter_partition_reassignments(context, request, records);
    });
  }
  ErrorCode reassign(std::string_view topic, const std::optional<Ids>& target, bool factor_may_change = true) {
    Request wanted = request(topic, target);
    wanted.allow_replication_factor_change = factor_may_change;
    const Response response = alter(wanted);
    EXPECT_EQ(response.error_code, ErrorCode::none);
    EXPECT_EQ(response.error_message, std::nullopt);
    EXPECT_EQ(response.allow_replication_factor_change, factor_may_change);
    EXPECT_TRUE(cluster_.atomic);
    const auto& item = response.responses[0].partitions[0];
    EXPECT_EQ(item.error_message.has_value(),
              item.error_code != ErrorCode::none && item.error_code != ErrorCode::no_reassignment_in_progress);
    EXPECT_TRUE(item.error_code == ErrorCode::none || cluster_.lines.empty());
    return item.error_code;
  }
  ErrorCode cancel(std::string_view topic) { return reassign(topic, std::nullopt); }
  std::string listed(const ListRequest& request) {
    std::string text;
    cluster_.run([&](const HandlerContext& context, RecordList&) {
      const auto response = list_partition_reassignments(context, request);
      EXPECT_EQ(response.error_code, ErrorCode::none);
      for (const auto& topic : response.topics) {
        for (const auto& partition : topic.partitions) {
          text.append(topic.name).append("-").append(std::to_string(partition.partition_index.value));
          for (NodeId node : partition.replicas) text += " " + std::to_string(node.value);
          for (NodeId node : partition.adding_replicas) text += " +" + std::to_string(node.value);
          for (NodeId node : partition.removing_replicas) text += " -" + std::to_string(node.value);
          text += "; ";
        }
      }
      return 0;
    });
    return text;
  }

  TestCluster cluster_;
};

TEST_F(Reassignments, NewReplicasAreAddedBeforeOldOnesGo) {
  cluster_.add_topic("a", {.replicas = {2, 1}, .isr = {2, 1}});
  EXPECT_EQ(reassign("a", Ids{4, 3}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines,
            (Lines{"Change a-0 replicas [4 3 1 2] adding [3 4] removing [1 2] dirs [400 300 100 200]"}));
  EXPECT_EQ(reassign("a", Ids{4, 3}), ErrorCode::none);
  EXPECT_TRUE(cluster_.lines.empty()) << "the same again changes nothing";
}

TEST_F(Reassignments, WhatNeedsNoWaitingIsDoneAtOnce) {
  cluster_.add_topic("a", {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  EXPECT_EQ(reassign("a", Ids{1, 2, 3}), ErrorCode::none);
  EXPECT_TRUE(cluster_.lines.empty());
  EXPECT_EQ(reassign("a", Ids{3, 1, 2}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 replicas [3 1 2] dirs [300 100 200]"}));
  EXPECT_EQ(reassign("a", Ids{3, 2}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 replicas [3 2] isr [2 3] leader 3 dirs [300 200]"}))
      << "1 led, and is gone";
}

TEST_F(Reassignments, AnotherTargetReplacesTheFirst) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  reassign("a", Ids{1, 3});
  EXPECT_EQ(reassign("a", Ids{1, 4}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 replicas [1 4 2 3] adding [4] removing [2 3] dirs [100 400 200 300]"}));
}

TEST_F(Reassignments, TheOldReplicasAsTargetEndIt) {  // Java waits for ever for a replica that it is removing
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  reassign("a", Ids{1, 3});
  EXPECT_EQ(reassign("a", Ids{1, 2}), ErrorCode::none);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 1/2 isr [1 2]");
  EXPECT_EQ(ids(cluster_.partition("a").replicas()), (Ids{1, 2}));
}

TEST_F(Reassignments, OldAndNewTogetherKeepsWaitingForTheNewOne) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  reassign("a", Ids{1, 3});
  EXPECT_EQ(reassign("a", Ids{1, 2, 3}), ErrorCode::none);
  const Partition& now = cluster_.partition("a");
  EXPECT_EQ(ids(now.replicas()), (Ids{1, 2, 3}));
  EXPECT_EQ(ids(now.adding_replicas()), (Ids{3}));
  EXPECT_TRUE(now.removing_replicas().empty()) << "2 is wanted again";
}

TEST_F(Reassignments, ACancelledOneGoesBack) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  EXPECT_EQ(cancel("a"), ErrorCode::no_reassignment_in_progress);
  reassign("a", Ids{3, 4});
  EXPECT_EQ(cancel("a"), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 replicas [1 2] leader 1 adding [] removing [] dirs [100 200]"}));
  EXPECT_EQ(cancel("a"), ErrorCode::no_reassignment_in_progress);
}

TEST_F(Reassignments, GoingBackToAReplicaThatLacksRecordsNeedsUncleanElections) {
  const TestCluster::PartitionState state{.replicas = {2, 1}, .isr = {2}, .adding = {2}, .removing = {1}};
  cluster_.add_topic("clean", state);
  cluster_.add_topic("unclean", state);
  cluster_.set_config(2, "unclean", "unclean.leader.election.enable", "true");
  EXPECT_EQ(cancel("clean"), ErrorCode::invalid_replica_assignment);
  EXPECT_EQ(cancel("unclean"), ErrorCode::none);
  EXPECT_EQ(ids(cluster_.partition("unclean").replicas()), (Ids{1}));
  EXPECT_EQ(cluster_.partition("unclean").leader, NodeId{1});
}

TEST_F(Reassignments, TargetsThatNoPartitionMayHave) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  for (const Ids& target : std::vector<Ids>{{}, {1, 1}, {9}, {-1}, {1, 2, 1}}) {
    EXPECT_EQ(reassign("a", target), ErrorCode::invalid_replica_assignment);
  }
  EXPECT_EQ(reassign("b", Ids{1}), ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(alter(request("a", Ids{1}, 3)).responses[0].partitions[0].error_code,
            ErrorCode::unknown_topic_or_partition);
}

TEST_F(Reassignments, CordonedBrokersGetNoNewReplicasAndMayKeepTheirOld) {  // cases.md row 23; KAFKA-20441, KAFKA-20832
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  cluster_.add_broker({.id = 1, .cordoned = std::vector<DirectoryId>{directory(100)}});
  cluster_.add_broker({.id = 4, .cordoned = std::vector<DirectoryId>{directory(400)}});
  EXPECT_EQ(reassign("a", Ids{1, 4}), ErrorCode::invalid_replica_assignment);
  EXPECT_EQ(reassign("a", Ids{1, 3}), ErrorCode::none);
}

TEST_F(Reassignments, TheReplicationFactorIsThatOfTheTargetOfNow) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  EXPECT_EQ(reassign("a", Ids{1, 2, 3}, false), ErrorCode::invalid_replication_factor);
  EXPECT_EQ(reassign("a", Ids{1, 2, 3}), ErrorCode::none);
  EXPECT_EQ(reassign("a", Ids{1, 4}, false), ErrorCode::invalid_replication_factor) << "three are on their way";
  EXPECT_EQ(reassign("a", Ids{1, 4, 5}, false), ErrorCode::none);
  EXPECT_EQ(reassign("a", std::nullopt, false), ErrorCode::none) << "going back is always allowed";
}

TEST_F(Reassignments, OnlySoManyAtATime) {
  Request many = request("a", Ids{2});
  cluster_.add_topic("a", {.replicas = {1}, .isr = {1}});
  for (std::size_t i = 0; i < max_records_per_user_operation; ++i) {
    auto& wanted = many.topics[0].partitions.push_back(cluster_.arena, many.topics[0].partitions[0]);
    if (i % 2 == 0) wanted.replicas = Array<NodeId>::null();
  }
  const Response response = alter(many);
  const auto& items = response.responses[0].partitions;
  ASSERT_EQ(items.size(), max_records_per_user_operation + 1);
  EXPECT_EQ(items[max_records_per_user_operation - 1].error_code, ErrorCode::none);
  EXPECT_EQ(items[max_records_per_user_operation].error_code, ErrorCode::policy_violation);
  EXPECT_EQ(cluster_.lines.size(), max_records_per_user_operation);
}

TEST_F(Reassignments, AreListed) {
  cluster_.add_topic("at-rest", {.replicas = {1}, .isr = {1}});
  cluster_.add_topic("b", {.replicas = {1, 2}, .isr = {1, 2}});
  cluster_.add_topic("c", {.replicas = {1}, .isr = {1}});
  reassign("c", Ids{2, 1});
  reassign("b", Ids{3});
  ListRequest all;
  all.topics = Array<ListRequest::ListPartitionReassignmentsTopics>::null();
  EXPECT_EQ(listed(all), "b-0 3 1 2 +3 -1 -2; c-0 2 1 +2; ");
  ListRequest some;
  some.topics = {};
  EXPECT_EQ(listed(some), "");
  for (const char* name : {"at-rest", "c", "nope"}) {
    auto& topic = some.topics.push_back(cluster_.arena);
    topic.name = name;
    for (std::int32_t index : {7, 0}) topic.partition_indexes.push_back(cluster_.arena, PartitionIndex{index});
  }
  EXPECT_EQ(listed(some), "c-0 2 1 +2; ");
  cancel("b");
  cancel("c");
  EXPECT_EQ(listed(all), "");
}

}  // namespace
}  // namespace hayward::core

// ElectLeaders.
#include "engine/core/control/elect_leaders.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::ElectLeadersRequest;
using Response = messages::ElectLeadersResponse;

constexpr std::int8_t preferred = 0;
constexpr std::int8_t unclean = 1;

class ElectLeaders : public ::testing::Test {
 protected:
  Response elect(const Request& request) {
    return cluster_.run(
        [&](const HandlerContext& context, RecordList& records) { return elect_leaders(context, request, records); });
  }
  Response elect_all(std::int8_t type) {
    Request request;
    request.election_type = type;
    request.topic_partitions = Array<Request::TopicPartitions>::null();
    return elect(request);
  }
  ErrorCode elect_one(std::int8_t type, std::string_view topic, std::int32_t index = 0) {
    Request request;
    request.election_type = type;
    auto& wanted = request.topic_partitions.push_back(cluster_.arena);
    wanted.topic = topic;
    wanted.partitions.push_back(cluster_.arena, PartitionIndex{index});
    const Response response = elect(request);
    EXPECT_EQ(response.error_code, ErrorCode::none);
    const auto& item = response.replica_election_results[0].partition_result[0];
    EXPECT_EQ(item.partition_id, PartitionIndex{index});
    EXPECT_EQ(item.error_message.has_value(), item.error_code != ErrorCode::none);
    EXPECT_EQ(cluster_.lines.empty(), item.error_code != ErrorCode::none);
    return item.error_code;
  }

  TestCluster cluster_;
};

TEST_F(ElectLeaders, ThePreferredReplicaLeadsIfItIsInSyncAndAlive) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}, .leader = 2});
  cluster_.add_topic("behind", {.replicas = {1, 2}, .isr = {2}});
  EXPECT_EQ(elect_one(preferred, "a"), ErrorCode::none);
  EXPECT_EQ(cluster_.state("a"), "leader 1 epoch 1/1 isr [1 2]");
  EXPECT_FALSE(cluster_.atomic);
  EXPECT_EQ(elect_one(preferred, "a"), ErrorCode::election_not_needed);
  EXPECT_EQ(elect_one(preferred, "behind"), ErrorCode::preferred_leader_not_available);
  cluster_.add_topic("c", {.replicas = {1, 2}, .isr = {1, 2}, .leader = 2});
  cluster_.ineligible = {NodeId{1}};
  EXPECT_EQ(elect_one(preferred, "c"), ErrorCode::preferred_leader_not_available) << "being fenced in slices";
}

TEST_F(ElectLeaders, AnUncleanOneIsForPartitionsThatNobodyLeads) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1}});
  EXPECT_EQ(elect_one(unclean, "a"), ErrorCode::election_not_needed);
  cluster_.fence({1});
  EXPECT_EQ(elect_one(preferred, "a"), ErrorCode::preferred_leader_not_available);
  EXPECT_EQ(elect_one(unclean, "a"), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 isr [2] leader 2 recovery 1"}));
  cluster_.fence({2});
  EXPECT_EQ(elect_one(unclean, "a"), ErrorCode::eligible_leaders_not_available);
}

TEST_F(ElectLeaders, WhatIsUnknownIsNamed) {
  cluster_.add_topic("a", {.replicas = {1}, .isr = {1}});
  EXPECT_EQ(elect_one(preferred, "a", 4), ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(elect_one(preferred, "a", -1), ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(elect_one(unclean, "b"), ErrorCode::unknown_topic_or_partition);
  Request request;
  request.election_type = 7;
  EXPECT_EQ(elect(request).error_code, ErrorCode::none) << "nothing is asked";
  request.topic_partitions.push_back(cluster_.arena).partitions.push_back(cluster_.arena, PartitionIndex{2});
  const Response refused = elect(request);
  EXPECT_EQ(refused.error_code, ErrorCode::invalid_request);
  EXPECT_EQ(refused.replica_election_results[0].partition_result[0].error_code, ErrorCode::invalid_request);
}

TEST_F(ElectLeaders, APartitionTwiceInTheRequestIsElectedOnce) {
  cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}, .leader = 2});
  Request request;
  auto& wanted = request.topic_partitions.push_back(cluster_.arena);
  wanted.topic = "a";
  for (int i = 0; i < 2; ++i) wanted.partitions.push_back(cluster_.arena, PartitionIndex{0});
  const Response response = elect(request);
  EXPECT_EQ(response.replica_election_results[0].partition_result[1].error_code, ErrorCode::election_not_needed);
  EXPECT_EQ(cluster_.lines.size(), 1u);
}

TEST_F(ElectLeaders, WithoutAListItIsAboutAllThatNeedIt) {
  cluster_.add_topic("at-rest", {.replicas = {1}, .isr = {1}});
  cluster_.add_topic("moved", {.replicas = {1, 2}, .isr = {1, 2}, .leader = 2});
  cluster_.add_topic("behind", {.replicas = {1, 2}, .isr = {2}});
  const Response response = elect_all(preferred);
  ASSERT_EQ(response.replica_election_results.size(), 3u) << "every topic is named";
  EXPECT_TRUE(response.replica_election_results[0].partition_result.empty());
  EXPECT_EQ(response.replica_election_results[1].partition_result[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.replica_election_results[2].partition_result[0].error_code,
            ErrorCode::preferred_leader_not_available);
  EXPECT_EQ(cluster_.lines, (Lines{"Change moved-0 leader 1"}));
}

}  // namespace
}  // namespace hayward::core

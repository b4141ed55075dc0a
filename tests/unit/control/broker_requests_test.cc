// AllocateProducerIds and AssignReplicasToDirs: what brokers ask for themselves.
#include <gtest/gtest.h>

#include "cluster.h"
#include "engine/core/control/allocate_producer_ids.h"
#include "engine/core/control/assign_replicas_to_dirs.h"
#include "schemas/records/producer_ids_record.h"

namespace hayward::core {
namespace {

messages::AllocateProducerIdsResponse allocate(TestCluster& cluster, std::int32_t broker, BrokerEpoch epoch) {
  messages::AllocateProducerIdsRequest request;
  request.broker_id = NodeId{broker};
  request.broker_epoch = epoch;
  return cluster.run([&](const HandlerContext& context, RecordList& records) {
    return allocate_producer_ids(context, request, records);
  });
}

TEST(AllocateProducerIds, BlocksOfAThousandOneAfterAnother) {
  TestCluster cluster;
  for (std::int64_t start : {0, 1000, 2000}) {
    const auto response = allocate(cluster, 1, cluster.epoch_of(1));
    EXPECT_EQ(response.error_code, ErrorCode::none);
    EXPECT_EQ(response.producer_id_start, start);
    EXPECT_EQ(response.producer_id_len, 1000);
    EXPECT_EQ(cluster.lines, (Lines{"ProducerIds " + std::to_string(start + 1000)}));
  }
}

TEST(AllocateProducerIds, AFencedBrokerIsServedAStaleOneIsNot) {
  TestCluster cluster;
  cluster.mark_fenced(1, true);
  EXPECT_EQ(allocate(cluster, 1, cluster.epoch_of(1)).error_code, ErrorCode::none);
  EXPECT_EQ(allocate(cluster, 1, BrokerEpoch{cluster.epoch_of(1).value + 1}).error_code, ErrorCode::stale_broker_epoch);
  const auto unknown = allocate(cluster, 9, BrokerEpoch{1});
  EXPECT_EQ(unknown.error_code, ErrorCode::stale_broker_epoch);
  EXPECT_EQ(unknown.producer_id_len, 0);
  EXPECT_TRUE(cluster.lines.empty());
}

TEST(AllocateProducerIds, TheLastBlock) {
  TestCluster cluster;
  cluster.run([&](const HandlerContext&, RecordList& records) {
    records::ProducerIdsRecord record;
    record.next_producer_id = INT64_MAX - 1000;
    records.add(record);
    return 0;
  });
  EXPECT_EQ(allocate(cluster, 1, cluster.epoch_of(1)).error_code, ErrorCode::none);
  EXPECT_EQ(allocate(cluster, 1, cluster.epoch_of(1)).error_code, ErrorCode::unknown_server_error);
  EXPECT_TRUE(cluster.lines.empty());
}

class AssignReplicasToDirs : public ::testing::Test {
 protected:
  using Request = messages::AssignReplicasToDirsRequest;
  using Response = messages::AssignReplicasToDirsResponse;

  AssignReplicasToDirs() {
    cluster_.add_broker({.id = 1, .dirs = {directory(11), directory(12)}});
    a_ = cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  }
  Request request(std::int32_t broker) {
    Request request;
    request.broker_id = NodeId{broker};
    request.broker_epoch = cluster_.image.cluster().broker(NodeId{broker}) ? cluster_.epoch_of(broker) : BrokerEpoch{1};
    return request;
  }
  void put(Request& request, DirectoryId directory_id, TopicId topic_id, std::int32_t index = 0) {
    auto& dir = request.directories.push_back(cluster_.arena);
    dir.id = directory_id;
    auto& topic = dir.topics.push_back(cluster_.arena);
    topic.topic_id = topic_id;
    topic.partitions.push_back(cluster_.arena).partition_index = PartitionIndex{index};
  }
  Response assign(const Request& request) {
    return cluster_.run([&](const HandlerContext& context, RecordList& records) {
      return assign_replicas_to_dirs(context, request, records);
    });
  }
  static ErrorCode item(const Response& response, std::size_t i) {
    return response.directories[i].topics[0].partitions[0].error_code;
  }

  TestCluster cluster_;
  TopicId a_;
};

TEST_F(AssignReplicasToDirs, StoresTheDirectoryOnce) {
  Request first = request(1);
  put(first, directory(12), a_);
  EXPECT_EQ(item(assign(first), 0), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 dirs [12 200]"}));
  EXPECT_FALSE(cluster_.atomic);
  assign(first);
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(AssignReplicasToDirs, WhatIsNotOnlineLeavesTheIsrToo) {
  for (const DirectoryId gone : {directory(99), directory_lost}) {
    TestCluster cluster;
    const TopicId id = cluster.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
    Request wanted;
    wanted.broker_id = NodeId{1};
    wanted.broker_epoch = cluster.epoch_of(1);
    put(wanted, gone, id);
    cluster.run([&](const HandlerContext& context, RecordList& records) {
      return assign_replicas_to_dirs(context, wanted, records);
    });
    ASSERT_EQ(cluster.lines.size(), 2u);
    EXPECT_EQ(cluster.lines[0], "Change a-0 dirs [" + std::to_string(gone.value.lo) + " 200]");
    EXPECT_EQ(cluster.lines[1], "Change a-0 isr [2] leader 2");
  }
}

TEST_F(AssignReplicasToDirs, AReplicaThatIsFoundAgainIsElectedAtOnce) {
  cluster_.add_topic("only", {.replicas = {1}, .isr = {1}});
  Request lost = request(1);
  put(lost, directory_lost, cluster_.topic("only").id);
  assign(lost);
  EXPECT_EQ(cluster_.state("only"), "leader -1 epoch 1/2 isr [1]");
  Request found = request(1);
  put(found, directory(11), cluster_.topic("only").id);
  assign(found);
  EXPECT_EQ(cluster_.lines, (Lines{"Change only-0 leader 1 dirs [11]"}));
}

TEST_F(AssignReplicasToDirs, BadItemsDoNotTouchTheOthers) {
  cluster_.add_topic("b", {.replicas = {2, 3}, .isr = {2, 3}});
  Request mixed = request(1);
  put(mixed, directory(11), TopicId{Uuid{1, 1}});
  put(mixed, directory(11), a_, 7);
  put(mixed, directory(11), cluster_.topic("b").id);
  put(mixed, directory(12), a_);
  const auto response = assign(mixed);
  EXPECT_EQ(item(response, 0), ErrorCode::unknown_topic_id);
  EXPECT_EQ(item(response, 1), ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(item(response, 2), ErrorCode::not_leader_or_follower);
  EXPECT_EQ(item(response, 3), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Change a-0 dirs [12 200]"}));
}

TEST_F(AssignReplicasToDirs, TheWholeRequestIsRefused) {
  Request stale = request(1);
  --stale.broker_epoch.value;
  put(stale, directory(12), a_);
  EXPECT_EQ(assign(stale).error_code, ErrorCode::stale_broker_epoch);
  EXPECT_EQ(assign(request(9)).error_code, ErrorCode::stale_broker_epoch);
  TestCluster old({.metadata_version = 16});
  const auto refused = old.run([&](const HandlerContext& context, RecordList& records) {
    return assign_replicas_to_dirs(context, request(1), records);
  });
  EXPECT_EQ(refused.error_code, ErrorCode::unsupported_version);
}

}  // namespace
}  // namespace hayward::core

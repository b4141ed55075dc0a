// CreatePartitions.
#include "engine/core/control/create_partitions.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::CreatePartitionsRequest;
using Response = messages::CreatePartitionsResponse;

class CreatePartitions : public ::testing::Test {
 protected:
  CreatePartitions() {
    cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
    cluster_.add_topic("b", {.replicas = {1}, .isr = {1}});
  }
  Request::CreatePartitionsTopic& add(std::string_view name, std::int32_t count) {
    auto& topic = request_.topics.push_back(cluster_.arena);
    topic.name = name;
    topic.count = count;
    topic.assignments = Array<Request::CreatePartitionsAssignment>::null();
    return topic;
  }
  void assign(Request::CreatePartitionsTopic& topic, const Ids& brokers) {
    auto& assignment = topic.assignments.push_back(cluster_.arena);
    for (std::int32_t id : brokers) assignment.broker_ids.push_back(cluster_.arena, NodeId{id});
  }
  Lines grow() {
    response_ = cluster_.run([&](const HandlerContext& context, RecordList& records) {
      return create_partitions(context, request_, records);
    });
    request_ = {};
    Lines items;
    for (const auto& item : response_.results) {
      items.push_back(std::string(item.name) + " " + std::to_string(static_cast<int>(item.error_code)));
    }
    return items;
  }

  TestCluster cluster_;
  Request request_;
  Response response_;
};

TEST_F(CreatePartitions, NewOnesComeBehindTheOldOnes) {
  auto& topic = add("a", 3);
  assign(topic, {2, 3});
  assign(topic, {3, 1});
  EXPECT_EQ(grow(), (Lines{"a 0"}));
  EXPECT_FALSE(response_.results[0].error_message.has_value());
  EXPECT_EQ(cluster_.lines, (Lines{"Partition a-1 [2 3] isr [2 3] leader 2 dirs [200 300]",
                                   "Partition a-2 [3 1] isr [3 1] leader 3 dirs [300 100]"}));
  EXPECT_TRUE(cluster_.atomic);
}

TEST_F(CreatePartitions, PlacedOnesHaveTheTopicsReplicationFactor) {
  add("a", 6);
  EXPECT_EQ(grow(), (Lines{"a 0"}));
  for (int i = 1; i < 6; ++i) EXPECT_EQ(cluster_.partition("a", i).replicas().size(), 2u);
}

TEST_F(CreatePartitions, ValidateOnlyWritesNothing) {
  add("a", 6);
  request_.validate_only = true;
  EXPECT_EQ(grow(), (Lines{"a 0"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(CreatePartitions, UnknownTopicHasNoText) {
  add("none", 3);
  add("b", 2);
  EXPECT_EQ(grow(), (Lines{"none 3", "b 0"}));
  EXPECT_FALSE(response_.results[0].error_message.has_value());
}

TEST_F(CreatePartitions, NotMoreThanThereAre) {
  for (std::int32_t count : {1, 0, -1, INT32_MIN}) {
    add("a", count);
    EXPECT_EQ(grow(), (Lines{"a 37"})) << count;
  }
}

TEST_F(CreatePartitions, TwiceInTheRequest) {
  add("a", 3);
  add("b", 3);
  add("a", 4);
  EXPECT_EQ(grow(), (Lines{"b 0", "a 42"}));
}

TEST_F(CreatePartitions, AssignmentsAreChecked) {
  assign(add("a", 3), {1, 2});
  EXPECT_EQ(grow(), (Lines{"a 39"})) << "one assignment for two";
  add("a", 2).assignments = {};
  EXPECT_EQ(grow(), (Lines{"a 39"})) << "an empty list";
  for (const Ids& brokers : std::vector<Ids>{{1}, {1, 2, 3}, {}, {1, 9}, {2, 2}}) {
    assign(add("a", 2), brokers);
    EXPECT_EQ(grow(), (Lines{"a 39"}));
  }
  cluster_.mark_fenced(3, true);
  cluster_.add_broker({.id = 4, .shutting_down = true});
  assign(add("a", 2), {3, 4});
  EXPECT_EQ(grow(), (Lines{"a 39"})) << "none active";
  EXPECT_TRUE(cluster_.lines.empty());
  assign(add("a", 2), {3, 1});
  EXPECT_EQ(grow(), (Lines{"a 0"})) << "one active";
}

TEST_F(CreatePartitions, Row23_CordonedBrokersAreNotToBeNamed) {  // cases.md row 23
  cluster_.add_broker({.id = 4, .dirs = {directory(1)}, .cordoned = std::vector{directory(1)}});
  assign(add("a", 2), {4, 1});
  EXPECT_EQ(grow(), (Lines{"a 39"}));
  assign(add("a", 2), {3, 1});
  EXPECT_EQ(grow(), (Lines{"a 0"}));
}

TEST_F(CreatePartitions, NoRoom) {
  cluster_.fence({1, 2, 3});
  add("a", 2);
  EXPECT_EQ(grow(), (Lines{"a 38"}));
}

TEST_F(CreatePartitions, TooMuchForOneRequestWritesNothingOfIt) {  // Kafka 4.3.1 writes a part and answers -1
  add("a", 10002);
  EXPECT_EQ(grow(), (Lines{"a 44"}));
  EXPECT_TRUE(cluster_.lines.empty());
  add("a", 6001);
  add("b", 6001);
  EXPECT_EQ(grow(), (Lines{"a 44", "b 44"}));
  EXPECT_TRUE(cluster_.lines.empty());
  add("a", INT32_MAX);  // takes Java's memory
  EXPECT_EQ(grow(), (Lines{"a 44"}));
  add("a", 10001);
  EXPECT_EQ(grow(), (Lines{"a 0"}));
  EXPECT_EQ(cluster_.lines.size(), 10000u);
}

}  // namespace
}  // namespace hayward::core

// DeleteTopics: by name, by id, and by both at once.
#include "engine/core/control/delete_topics.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::DeleteTopicsRequest;
using Response = messages::DeleteTopicsResponse;

class DeleteTopics : public ::testing::Test {
 protected:
  DeleteTopics() {
    a_ = cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
    b_ = cluster_.add_topic("b", {.replicas = {1, 2}, .isr = {2}});
  }
  void by_name(std::string_view name) { request_.topics.push_back(cluster_.arena).name = name; }
  void by_id(TopicId id) {
    auto& topic = request_.topics.push_back(cluster_.arena);
    topic.name = std::nullopt;
    topic.topic_id = id;
  }
  // "name error" per item; "-" for no name.
  Lines remove(std::int16_t version = 6) {
    const Response response = cluster_.run(
        [&](const HandlerContext& context, RecordList& records) { return delete_topics(context, request_, records); },
        version);
    request_ = {};
    Lines items;
    for (const auto& item : response.responses) {
      items.push_back(std::string(item.name.value_or("-")) + (item.topic_id.is_zero() ? " " : " id ") +
                      std::to_string(static_cast<int>(item.error_code)));
      EXPECT_EQ(item.error_message.has_value(), item.error_code != ErrorCode::none && !no_texts_);
    }
    return items;
  }

  TestCluster cluster_;
  Request request_;
  TopicId a_;
  TopicId b_;
  bool no_texts_ = false;
};

TEST_F(DeleteTopics, ByNameAndById) {
  cluster_.set_config(2, "a", "retention.ms", "5");
  by_name("a");
  by_id(b_);
  EXPECT_EQ(remove(), (Lines{"a id 0", "b id 0"}));
  EXPECT_EQ(cluster_.lines, (Lines{"RemoveTopic a", "RemoveTopic b"}));
  EXPECT_TRUE(cluster_.atomic);
  EXPECT_TRUE(cluster_.image.topics().all().empty());
  EXPECT_TRUE(cluster_.image.configs().of(ConfigResourceType::topic, "a").empty());
  EXPECT_TRUE(cluster_.image.topics().replica_of(NodeId{1}).empty());
}

TEST_F(DeleteTopics, OlderVersionsGiveNames) {
  request_.topic_names.push_back(cluster_.arena, "a");
  request_.topic_names.push_back(cluster_.arena, "none");
  EXPECT_EQ(remove(5), (Lines{"a id 0", "none 3"}));
}

TEST_F(DeleteTopics, WhatIsNotThere) {
  by_name("none");
  by_name("");
  by_id(TopicId{Uuid{1, 2}});
  EXPECT_EQ(remove(), (Lines{"none 3", " 3", "- id 100"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(DeleteTopics, NeitherOrBothOfNameAndId) {
  by_id(TopicId{});
  by_name("a");
  request_.topics[1].topic_id = a_;
  EXPECT_EQ(remove(), (Lines{"- 42", "a id 42"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(DeleteTopics, ATopicGivenTwiceStays) {
  by_name("a");
  by_name("a");
  by_name("a");
  by_id(b_);
  by_id(b_);
  EXPECT_EQ(remove(), (Lines{"a 42", "- id 42"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(DeleteTopics, ATopicGivenByNameAndByIdStays) {
  by_id(a_);
  by_name("a");
  EXPECT_EQ(remove(), (Lines{"a id 42"}));
  by_name("a");
  by_id(a_);
  by_id(a_);
  EXPECT_EQ(remove(), (Lines{"a id 42", "- id 42"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(DeleteTopics, WithAndWithoutOfflineReplicas) {  // cases.md row 38; KAFKA-14170
  cluster_.fence({1, 2});
  by_name("a");
  by_name("b");
  EXPECT_EQ(remove(), (Lines{"a id 0", "b id 0"}));
}

TEST_F(DeleteTopics, SwitchedOff) {
  cluster_.config.delete_topic_enable = false;
  no_texts_ = true;
  by_name("a");
  by_id(b_);
  EXPECT_EQ(remove(6), (Lines{"a 73", "- id 73"}));
  request_.topic_names.push_back(cluster_.arena, "a");
  EXPECT_EQ(remove(2), (Lines{"a 42"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

}  // namespace
}  // namespace hayward::core

// CreateTopics: what is written, what is answered, and every way to be refused.
#include "engine/core/control/create_topics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::CreateTopicsRequest;
using Response = messages::CreateTopicsResponse;

class CreateTopics : public ::testing::Test {
 protected:
  Request::CreatableTopic& add(std::string_view name, std::int32_t partitions = 1, std::int16_t factor = 1) {
    auto& topic = request_.topics.push_back(cluster_.arena);
    topic.name = name;
    topic.num_partitions = partitions;
    topic.replication_factor = factor;
    return topic;
  }
  Request::CreatableTopic& assign(Request::CreatableTopic& topic, std::int32_t index, const Ids& brokers) {
    auto& assignment = topic.assignments.push_back(cluster_.arena);
    assignment.partition_index = PartitionIndex{index};
    for (std::int32_t id : brokers) assignment.broker_ids.push_back(cluster_.arena, NodeId{id});
    topic.num_partitions = -1;
    topic.replication_factor = -1;
    return topic;
  }
  void configure(Request::CreatableTopic& topic, std::string_view key, std::optional<std::string_view> value) {
    auto& config = topic.configs.push_back(cluster_.arena);
    config.name = key;
    config.value = value;
  }
  Response create() {
    Response response = cluster_.run(
        [&](const HandlerContext& context, RecordList& records) { return create_topics(context, request_, records); });
    request_ = {};
    return response;
  }
  // The answer to the only topic of the request.
  Response::CreatableTopicResult create_one() {
    const Response response = create();
    EXPECT_EQ(response.topics.size(), 1u);
    return response.topics.empty() ? Response::CreatableTopicResult{} : response.topics[0];
  }
  ErrorCode error() { return create_one().error_code; }

  static std::string_view config_value(const Response::CreatableTopicResult& result, std::string_view key) {
    for (const auto& config : result.configs) {
      if (config.name == key) return config.value.value_or("null");
    }
    return "absent";
  }

  TestCluster cluster_;
  Request request_;
};

TEST_F(CreateTopics, WritesTopicConfigsAndPartitionsInOneBatch) {
  auto& topic = add("a");
  assign(topic, 0, {1, 2, 3});
  assign(topic, 1, {3, 1, 2});
  configure(topic, "segment.bytes", "2000000");
  configure(topic, "cleanup.policy", "compact");
  const auto result = create_one();
  EXPECT_EQ(result.error_code, ErrorCode::none);
  EXPECT_FALSE(result.error_message.has_value());
  EXPECT_EQ(cluster_.lines, (Lines{"Topic a", "Config 2:a cleanup.policy=compact", "Config 2:a segment.bytes=2000000",
                                   "Partition a-0 [1 2 3] isr [1 2 3] leader 1 dirs [100 200 300]",
                                   "Partition a-1 [3 1 2] isr [3 1 2] leader 3 dirs [300 100 200]"}));
  EXPECT_TRUE(cluster_.atomic);
  EXPECT_EQ(result.topic_id, cluster_.topic("a").id);
  EXPECT_EQ(result.num_partitions, 2);
  EXPECT_EQ(result.replication_factor, 3);
  EXPECT_EQ(cluster_.state("a", 1), "leader 3 epoch 0/0 isr [3 1 2]");
}

TEST_F(CreateTopics, AnswersTheWholeEffectiveConfigByName) {
  cluster_.config.static_configs["log.retention.hours"] = "2";
  cluster_.set_config(4, "", "min.insync.replicas", "2");
  cluster_.set_config(4, "3000", "log.segment.bytes", "3000000");
  configure(add("a"), "retention.bytes", "5");
  const auto result = create_one();
  EXPECT_EQ(result.configs.size(), 33u);  // all but internal.segment.bytes
  EXPECT_TRUE(std::ranges::is_sorted(result.configs, {}, [](const auto& config) { return config.name; }));
  for (const auto& config : result.configs) {
    std::int8_t source = 5;
    if (config.name == "retention.bytes") source = 1;
    if (config.name == "segment.bytes") source = 2;
    if (config.name == "min.insync.replicas") source = 3;
    if (config.name == "retention.ms") source = 4;
    EXPECT_EQ(config.config_source, source) << config.name;
  }
  EXPECT_EQ(config_value(result, "retention.ms"), "7200000");
  EXPECT_EQ(config_value(result, "segment.bytes"), "3000000");
  EXPECT_EQ(config_value(result, "cleanup.policy"), "delete");
}

TEST_F(CreateTopics, MinusOneMeansTheDefaults) {
  cluster_.config.num_partitions = 3;
  cluster_.config.default_replication_factor = 2;
  add("a", -1, -1);
  const auto result = create_one();
  EXPECT_EQ(result.num_partitions, 3);
  EXPECT_EQ(result.replication_factor, 2);
}

TEST_F(CreateTopics, ValidateOnlyAnswersAsIfAndWritesNothing) {
  add("a", 2, 2);
  request_.validate_only = true;
  const auto result = create_one();
  EXPECT_EQ(result.error_code, ErrorCode::none);
  EXPECT_EQ(result.num_partitions, 2);
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(CreateTopics, AFencedReplicaIsAcceptedAndLeftOutOfTheIsr) {
  cluster_.mark_fenced(1, true);
  assign(add("a"), 0, {1, 2});
  EXPECT_EQ(error(), ErrorCode::none);
  EXPECT_EQ(cluster_.state("a"), "leader 2 epoch 0/0 isr [2]");
}

TEST_F(CreateTopics, ABrokerBeingDrainedGetsNoReplicas) {
  cluster_.ineligible = {NodeId{1}, NodeId{2}};
  add("a", 20, 1);
  EXPECT_EQ(error(), ErrorCode::none);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ids(cluster_.partition("a", i).replicas()), Ids{3});
  assign(add("b"), 0, {1, 2});
  EXPECT_EQ(error(), ErrorCode::invalid_replica_assignment);
}

TEST_F(CreateTopics, OneBadTopicDoesNotTouchTheOthers) {  // cases.md rows 40 and 41; KAFKA-13490, KAFKA-14612
  add("good1");
  configure(assign(add("bad"), 0, {9}), "retention.ms", "5");
  add("good2");
  const auto response = create();
  ASSERT_EQ(response.topics.size(), 3u);
  EXPECT_EQ(response.topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[1].error_code, ErrorCode::invalid_replica_assignment);
  EXPECT_EQ(response.topics[2].error_code, ErrorCode::none);
  add("bad");
  EXPECT_EQ(config_value(create_one(), "retention.ms"), "604800000");
  EXPECT_TRUE(cluster_.image.configs().of(ConfigResourceType::topic, "bad").empty());
}

TEST_F(CreateTopics, AFailedItemHasNoIdNoCountsAndNoConfigs) {
  add("..");
  const auto result = create_one();
  EXPECT_EQ(result.error_code, ErrorCode::invalid_topic_exception);
  EXPECT_TRUE(result.topic_id.is_zero());
  EXPECT_EQ(result.num_partitions, -1);
  EXPECT_EQ(result.replication_factor, -1);
  EXPECT_TRUE(result.configs.empty());
  EXPECT_TRUE(result.error_message.has_value());
}

TEST_F(CreateTopics, ATopicNamedTwiceIsAnsweredOnceAndNotMade) {
  add("twice");
  add("other");
  add("twice");
  add("twice");
  const auto response = create();
  ASSERT_EQ(response.topics.size(), 2u);
  EXPECT_EQ(response.topics[0].name, "other");
  EXPECT_EQ(response.topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[1].name, "twice");
  EXPECT_EQ(response.topics[1].error_code, ErrorCode::invalid_request);
  EXPECT_EQ(cluster_.image.topics().all().size(), 1u);
}

TEST_F(CreateTopics, NamesAreChecked) {  // cases.md row 46
  const std::string long_name(250, 'x');
  const std::string longest_name(249, 'x');
  for (const std::string& name :
       {std::string(), std::string("."), std::string("a b"), std::string("\xC3\xA9"), long_name}) {
    add(name);
    EXPECT_EQ(error(), ErrorCode::invalid_topic_exception) << name;
  }
  add(longest_name);
  EXPECT_EQ(error(), ErrorCode::none);
  add("__cluster_metadata");  // KAFKA-14358
  EXPECT_EQ(error(), ErrorCode::invalid_request);
  add("a.b");
  EXPECT_EQ(error(), ErrorCode::none);
  add("a.b");
  EXPECT_EQ(error(), ErrorCode::topic_already_exists);
  add("a_b");
  EXPECT_EQ(error(), ErrorCode::invalid_topic_exception);
}

TEST_F(CreateTopics, TwoCollidingNamesOfOneRequestAreBothMade) {
  add("x.y");
  add("x_y");
  const auto response = create();
  EXPECT_EQ(response.topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[1].error_code, ErrorCode::none);
}

TEST_F(CreateTopics, ConfigsAreChecked) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string_view, std::optional<std::string_view>>>{{"retention.ms", std::nullopt},
                                                                                 {"no.such.key", "1"},
                                                                                 {"retention.ms", "soon"},
                                                                                 {"retention.ms", "-2"},
                                                                                 {"cleanup.policy", "burn"},
                                                                                 {"min.insync.replicas", "0"},
                                                                                 {"remote.storage.enable", "true"}}) {
    configure(add("a"), key, value);
    EXPECT_EQ(error(), ErrorCode::invalid_config) << key;
    EXPECT_TRUE(cluster_.lines.empty());
  }
  auto& topic = add("a");
  configure(topic, "retention.ms", "bad");
  configure(topic, "retention.ms", "9");  // the last counts
  EXPECT_EQ(config_value(create_one(), "retention.ms"), "9");
}

TEST_F(CreateTopics, AssignmentsAreChecked) {  // cases.md rows 23 and 31
  cluster_.add_broker(
      {.id = 4, .dirs = {directory(1), directory(2)}, .cordoned = std::vector{directory(1), directory(2)}});
  const auto refused = [&](ErrorCode code, auto fill) {
    fill(add("a"));
    EXPECT_EQ(error(), code);
    EXPECT_TRUE(cluster_.lines.empty());
  };
  const auto bad = ErrorCode::invalid_replica_assignment;
  refused(ErrorCode::invalid_request, [&](auto& t) {
    assign(t, 0, {1});
    t.num_partitions = 1;
  });
  refused(ErrorCode::invalid_request, [&](auto& t) {
    assign(t, 0, {1});
    t.replication_factor = 1;
  });
  refused(bad, [&](auto& t) {
    assign(t, 0, {1});
    assign(t, 0, {2});
  });
  refused(bad, [&](auto& t) {
    assign(t, 0, {1});
    assign(t, 2, {2});
  });  // KAFKA-14129
  refused(bad, [&](auto& t) { assign(t, -1, {1}); });
  refused(bad, [&](auto& t) { assign(t, 0, {}); });
  refused(bad, [&](auto& t) { assign(t, 0, {1, 9}); });
  refused(bad, [&](auto& t) { assign(t, 0, {1, 1}); });
  refused(bad, [&](auto& t) {
    assign(t, 0, {1, 2});
    assign(t, 1, {3});
  });
  refused(bad, [&](auto& t) { assign(t, 0, {1, 4}); });  // all its directories are cordoned: KAFKA-20441
  cluster_.mark_fenced(1, true);
  cluster_.mark_fenced(2, true);
  refused(bad, [&](auto& t) { assign(t, 0, {1, 2}); });  // KAFKA-13083
  auto& any_order = add("a");
  assign(any_order, 1, {3});
  assign(any_order, 0, {3});
  EXPECT_EQ(error(), ErrorCode::none);
}

TEST_F(CreateTopics, CountsAreChecked) {
  for (int factor : {0, -2, 4}) {
    add("a", 1, static_cast<std::int16_t>(factor));
    EXPECT_EQ(error(), ErrorCode::invalid_replication_factor) << factor;
  }
  for (std::int32_t partitions : {0, -2, INT32_MIN}) {
    add("a", partitions, 1);
    EXPECT_EQ(error(), ErrorCode::invalid_partitions) << partitions;
  }
  for (int id = 1; id <= 3; ++id) cluster_.mark_fenced(id, true);
  add("a");
  EXPECT_EQ(error(), ErrorCode::invalid_replication_factor);
}

TEST_F(CreateTopics, TooMuchForOneRequestRefusesAllOfIt) {
  add("big", 9999);
  EXPECT_EQ(error(), ErrorCode::none);
  EXPECT_EQ(cluster_.lines.size(), 10000u);

  add("fits_the_sum", 10000);  // and one record for the topic
  EXPECT_EQ(error(), ErrorCode::policy_violation);
  EXPECT_TRUE(cluster_.lines.empty());

  add("small");
  add("large", 10000);
  const auto response = create();
  EXPECT_EQ(response.topics[0].error_code, ErrorCode::policy_violation);
  EXPECT_EQ(response.topics[1].error_code, ErrorCode::policy_violation);
  EXPECT_TRUE(cluster_.lines.empty());

  for (std::string_view name : {"o1", "o2", "o3"}) add(name, 1 << 30);  // a 32-bit sum would pass
  for (const auto& topic : create().topics) EXPECT_EQ(topic.error_code, ErrorCode::policy_violation);
}

TEST_F(CreateTopics, RecordsKeepToTheFinalizedLevel) {
  TestCluster old({.metadata_version = 7});
  Request request;
  auto& topic = request.topics.push_back(old.arena);
  topic.name = "a";
  topic.num_partitions = 1;
  topic.replication_factor = 3;
  old.run([&](const HandlerContext& context, RecordList& records) { return create_topics(context, request, records); });
  ASSERT_EQ(old.lines.size(), 2u);
  EXPECT_TRUE(old.lines[1].ends_with("dirs []")) << old.lines[1];
}

TEST_F(CreateTopics, WithElrAMinInsyncReplicasOfItsOwnIsFollowedByAClearElr) {
  TestCluster elr({.elr = true});
  Request request;
  auto& topic = request.topics.push_back(elr.arena);
  topic.name = "a";
  topic.num_partitions = 1;
  topic.replication_factor = 3;
  auto& config = topic.configs.push_back(elr.arena);
  config.name = "min.insync.replicas";
  config.value = "2";
  elr.run([&](const HandlerContext& context, RecordList& records) { return create_topics(context, request, records); });
  ASSERT_EQ(elr.lines.size(), 4u);
  EXPECT_EQ(elr.lines[1], "Config 2:a min.insync.replicas=2");
  EXPECT_EQ(elr.lines[2], "ClearElr a");
}

}  // namespace
}  // namespace hayward::core

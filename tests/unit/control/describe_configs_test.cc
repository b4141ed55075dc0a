// DescribeConfigs: layers, sources, synonyms, secrets.
#include "engine/core/control/describe_configs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::DescribeConfigsRequest;
using Response = messages::DescribeConfigsResponse;
using Entry = Response::DescribeConfigsResourceResult;

constexpr std::int8_t topic = 2, broker = 4, logger = 8, client_metrics = 16, group = 32;

class DescribeConfigs : public ::testing::Test {
 protected:
  DescribeConfigs() { cluster_.add_topic("a", {.replicas = {1}, .isr = {1}}); }

  Response::DescribeConfigsResult describe(std::int8_t type, std::string_view name, bool synonyms = true,
                                           std::initializer_list<std::string_view> keys = {}) {
    Request request;
    auto& resource = request.resources.push_back(cluster_.arena);
    resource.resource_type = type;
    resource.resource_name = name;
    resource.configuration_keys = Array<std::string_view>::null();
    for (std::string_view key : keys) resource.configuration_keys.push_back(cluster_.arena, key);
    request.include_synonyms = synonyms;
    const Response response =
        cluster_.run([&](const HandlerContext& context, RecordList&) { return describe_configs(context, request); });
    EXPECT_EQ(response.results.size(), 1u);
    EXPECT_EQ(response.results[0].resource_name, name);
    EXPECT_EQ(response.results[0].resource_type, type);
    return response.results[0];
  }
  static Entry entry(const Response::DescribeConfigsResult& result, std::string_view key) {
    const auto at = std::ranges::find(result.configs, key, &Entry::name);
    EXPECT_NE(at, result.configs.end()) << key;
    return at == result.configs.end() ? Entry{} : *at;
  }
  // "value source | name=value source ..."
  static std::string text(const Entry& entry) {
    std::string out = std::string(entry.value.value_or("null")) + " " + std::to_string(entry.config_source) + " |";
    for (const auto& synonym : entry.synonyms) {
      out.append(" ").append(synonym.name).append("=").append(synonym.value.value_or("null"));
      out.append(" ").append(std::to_string(synonym.source));
    }
    return out;
  }

  TestCluster cluster_;
};

TEST_F(DescribeConfigs, ATopicAtRest) {
  const auto result = describe(topic, "a");
  EXPECT_EQ(result.error_code, ErrorCode::none);
  EXPECT_EQ(result.error_message, "");
  EXPECT_EQ(result.configs.size(), 33u);
  EXPECT_EQ(text(entry(result, "cleanup.policy")), "delete 5 | log.cleanup.policy=delete 5");
  EXPECT_EQ(text(entry(result, "retention.ms")), "604800000 5 |") << "log.retention.ms itself is not set";
  EXPECT_EQ(text(entry(result, "remote.storage.enable")), "false 5 |");
  EXPECT_EQ(entry(result, "min.cleanable.dirty.ratio").config_type, 6);
  EXPECT_FALSE(entry(result, "retention.ms").read_only);
  EXPECT_FALSE(entry(result, "retention.ms").documentation.has_value());
}

TEST_F(DescribeConfigs, LayersOfATopicKey) {
  cluster_.config.static_configs["log.retention.ms"] = "1000";
  EXPECT_EQ(text(entry(describe(topic, "a"), "retention.ms")),
            "1000 4 | log.retention.ms=1000 4 log.retention.hours=168 5");
  cluster_.set_config(4, "", "log.retention.ms", "2000");
  cluster_.set_config(4, "3000", "log.retention.ms", "3000");
  cluster_.set_config(4, "1", "log.retention.ms", "9");
  cluster_.set_config(2, "a", "retention.ms", " +4000 ");
  EXPECT_EQ(text(entry(describe(topic, "a"), "retention.ms")),
            "4000 1 | retention.ms=4000 1 log.retention.ms=3000 2 log.retention.ms=2000 3 log.retention.ms=1000 4 "
            "log.retention.hours=168 5");
  EXPECT_TRUE(entry(describe(topic, "a", false), "retention.ms").synonyms.empty());
}

TEST_F(DescribeConfigs, HoursBecomeMilliseconds) {
  cluster_.config.static_configs["log.roll.hours"] = "2";
  const auto shown = entry(describe(topic, "a"), "segment.ms");
  EXPECT_EQ(shown.value, "7200000");
}

TEST_F(DescribeConfigs, OnlyTheKeysAskedFor) {
  const auto result = describe(topic, "a", true, {"retention.ms", "nonsense"});
  ASSERT_EQ(result.configs.size(), 1u);
  EXPECT_EQ(result.configs[0].name, "retention.ms");
}

TEST_F(DescribeConfigs, TopicsThatCannotBeShown) {
  const auto none = describe(topic, "none");
  EXPECT_EQ(none.error_code, ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(none.error_message, "");
  EXPECT_TRUE(none.configs.empty());
  EXPECT_EQ(describe(topic, "a b").error_code, ErrorCode::invalid_topic_exception);
  EXPECT_EQ(describe(topic, "").error_code, ErrorCode::invalid_topic_exception);
}

TEST_F(DescribeConfigs, ThisNode) {
  cluster_.config.static_configs = {{"node.id", "3000"},
                                    {"process.roles", "controller"},
                                    {"ssl.key.password", "secret"},
                                    {"my.own.key", "secret"},
                                    {"listener.name.controller.ssl.keystore.location", "/k"},
                                    {"unstable.api.versions.enable", "true"}};
  cluster_.set_config(4, "3000", "max.connections", "7");
  cluster_.set_config(4, "3000", "node.id", "9");  // has no effect
  const auto result = describe(broker, "3000");
  EXPECT_EQ(text(entry(result, "node.id")), "3000 4 | node.id=3000 4");
  EXPECT_TRUE(entry(result, "node.id").read_only);
  EXPECT_EQ(entry(result, "broker.id").value, "3000");
  EXPECT_EQ(text(entry(result, "max.connections")), "7 2 | max.connections=7 2 max.connections=2147483647 5");
  EXPECT_FALSE(entry(result, "max.connections").read_only);
  EXPECT_EQ(text(entry(result, "ssl.key.password")), "null 4 | ssl.key.password=null 4");
  EXPECT_TRUE(entry(result, "ssl.key.password").is_sensitive);
  EXPECT_TRUE(entry(result, "my.own.key").is_sensitive);
  EXPECT_EQ(text(entry(result, "my.own.key")), "null 4 | my.own.key=null 4");
  EXPECT_EQ(entry(result, "listener.name.controller.ssl.keystore.location").value, "/k");
  EXPECT_EQ(entry(result, "unstable.api.versions.enable").value, "true") << "internal, but set";
  EXPECT_EQ(std::ranges::count(result.configs, "unstable.feature.versions.enable", &Entry::name), 0);
  EXPECT_EQ(text(entry(result, "broker.rack")), "null 5 |");
}

TEST_F(DescribeConfigs, AllNodes) {
  EXPECT_TRUE(describe(broker, "").configs.empty());
  cluster_.set_config(4, "", "max.connections", "7");
  cluster_.set_config(4, "", "my.own.key", "secret");
  const auto result = describe(broker, "");
  ASSERT_EQ(result.configs.size(), 2u);
  EXPECT_EQ(text(entry(result, "max.connections")), "7 3 | max.connections=7 3");
  EXPECT_FALSE(entry(result, "my.own.key").value.has_value());
}

TEST_F(DescribeConfigs, OtherNodesAreNotOursToDescribe) {
  EXPECT_EQ(describe(broker, "1").error_code, ErrorCode::invalid_request);
  EXPECT_EQ(describe(broker, "x").error_code, ErrorCode::invalid_request);
  EXPECT_EQ(describe(logger, "").error_code, ErrorCode::invalid_request);
  EXPECT_EQ(describe(logger, "1").error_code, ErrorCode::invalid_request);
  const auto own = describe(logger, "3000");
  EXPECT_EQ(own.error_code, ErrorCode::none);
  EXPECT_TRUE(own.configs.empty());
  EXPECT_EQ(describe(99, "x").error_code, ErrorCode::invalid_request);
}

TEST_F(DescribeConfigs, Groups) {
  EXPECT_EQ(describe(group, "").error_code, ErrorCode::invalid_request);
  cluster_.set_config(32, "g", "consumer.session.timeout.ms", "50000");
  cluster_.config.static_configs["group.share.delivery.count.limit"] = "7";
  const auto result = describe(group, "g");
  EXPECT_EQ(result.configs.size(), 17u);
  EXPECT_EQ(text(entry(result, "consumer.session.timeout.ms")),
            "50000 8 | consumer.session.timeout.ms=50000 8 group.consumer.session.timeout.ms=45000 5");
  EXPECT_EQ(entry(result, "share.delivery.count.limit").value, "7");
  EXPECT_EQ(entry(result, "share.delivery.count.limit").config_source, 4);
  EXPECT_EQ(text(entry(result, "share.isolation.level")),
            "read_uncommitted 5 | share.isolation.level=read_uncommitted 5");
}

TEST_F(DescribeConfigs, ClientMetrics) {
  EXPECT_EQ(describe(client_metrics, "").error_code, ErrorCode::invalid_request);
  cluster_.set_config(16, "m", "metrics", "a, b");
  const auto result = describe(client_metrics, "m");
  EXPECT_EQ(result.configs.size(), 3u);
  EXPECT_EQ(text(entry(result, "metrics")), "a,b 7 | metrics=a,b 7");
  EXPECT_EQ(text(entry(result, "interval.ms")), "300000 5 |");
}

}  // namespace
}  // namespace hayward::core

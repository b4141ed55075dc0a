// IncrementalAlterConfigs: operations, checks, and what it does to ELRs.
#include "engine/core/control/incremental_alter_configs.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::IncrementalAlterConfigsRequest;
using Response = messages::IncrementalAlterConfigsResponse;

constexpr std::int8_t set = 0, remove_it = 1, append = 2, subtract = 3;
constexpr std::int8_t topic = 2, broker = 4, logger = 8, client_metrics = 16, group = 32;

struct Change {
  std::int8_t operation;
  std::string_view key;
  std::optional<std::string_view> value;
};

class AlterConfigs : public ::testing::Test {
 protected:
  explicit AlterConfigs(TestCluster::Options options = {}) : cluster_(options) {
    cluster_.add_topic("a", {.replicas = {1, 2}, .isr = {1, 2}});
  }
  void add(std::int8_t type, std::string_view name, const std::vector<Change>& changes) {
    auto& resource = request_.resources.push_back(cluster_.arena);
    resource.resource_type = type;
    resource.resource_name = name;
    for (const Change& change : changes) {
      auto& config = resource.configs.push_back(cluster_.arena);
      config.name = change.key;
      config.config_operation = change.operation;
      config.value = change.value;
    }
  }
  // "name error" per item.
  Lines alter() {
    const Response response = cluster_.run([&](const HandlerContext& context, RecordList& records) {
      return incremental_alter_configs(context, request_, records);
    });
    request_ = {};
    Lines items;
    for (const auto& item : response.responses) {
      items.push_back(std::string(item.resource_name) + " " + std::to_string(static_cast<int>(item.error_code)));
      EXPECT_EQ(item.error_message.has_value(), item.error_code != ErrorCode::none);
    }
    return items;
  }
  int error(std::int8_t type, std::string_view name, const Change& change) {
    add(type, name, {change});
    const Lines items = alter();
    EXPECT_EQ(items.size(), 1u);
    const int code = std::stoi(items[0].substr(name.size() + 1));
    EXPECT_TRUE(code == 0 || cluster_.lines.empty());
    return code;
  }

  TestCluster cluster_;
  Request request_;
};

TEST_F(AlterConfigs, SetAndDelete) {
  add(topic, "a", {{set, "retention.ms", "5"}, {set, "segment.ms", "6"}});
  EXPECT_EQ(alter(), (Lines{"a 0"}));
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a retention.ms=5", "Config 2:a segment.ms=6"}));
  EXPECT_TRUE(cluster_.atomic);
  EXPECT_EQ(error(topic, "a", {set, "retention.ms", "5"}), 0);
  EXPECT_TRUE(cluster_.lines.empty()) << "the same value is not recorded again";
  EXPECT_EQ(error(topic, "a", {remove_it, "retention.ms", "ignored"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a retention.ms removed"}));
  EXPECT_EQ(error(topic, "a", {set, "segment.ms", std::nullopt}), 0) << "null is a removal";
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a segment.ms removed"}));
  EXPECT_EQ(error(topic, "a", {remove_it, "segment.ms", std::nullopt}), 0);
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(AlterConfigs, BrokersAlwaysGetARecord) {
  EXPECT_EQ(error(broker, "1", {set, "log.retention.ms", "5"}), 0);
  EXPECT_EQ(error(broker, "1", {set, "log.retention.ms", "5"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4:1 log.retention.ms=5"}));
  EXPECT_EQ(error(broker, "", {remove_it, "not.a.key", std::nullopt}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4: not.a.key removed"}));
}

TEST_F(AlterConfigs, ListsGrowAndShrink) {
  EXPECT_EQ(error(topic, "a", {append, "cleanup.policy", "compact"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a cleanup.policy=delete,compact"}));
  EXPECT_EQ(error(topic, "a", {append, "cleanup.policy", "compact"}), 0);
  EXPECT_TRUE(cluster_.lines.empty());
  EXPECT_EQ(error(topic, "a", {subtract, "cleanup.policy", "delete,other"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a cleanup.policy=compact"}));
  EXPECT_EQ(error(topic, "a", {append, "cleanup.policy", ""}), 40) << "an empty entry";
  EXPECT_EQ(error(topic, "a", {subtract, "cleanup.policy", "compact"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a cleanup.policy="}));
  EXPECT_EQ(error(topic, "a", {append, "retention.ms", "5"}), 40);
  EXPECT_EQ(error(broker, "", {append, "metric.reporters", "x"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4: metric.reporters=org.apache.kafka.common.metrics.JmxReporter,x"}));
  EXPECT_EQ(error(broker, "", {append, "not.a.key", "x"}), 40);
  EXPECT_EQ(error(client_metrics, "m", {append, "metrics", "x"}), 40);
}

TEST_F(AlterConfigs, WhatMakesJavaFailOverIsRefused) {
  EXPECT_EQ(error(topic, "a", {9, "cleanup.policy", "compact"}), 42);
  EXPECT_EQ(error(topic, "a", {-1, "cleanup.policy", "compact"}), 42);
  EXPECT_EQ(error(topic, "a", {append, "cleanup.policy", std::nullopt}), 42);
  EXPECT_EQ(error(topic, "a", {subtract, "cleanup.policy", std::nullopt}), 42);
}

TEST_F(AlterConfigs, AValueHasToFitARecord) {  // cases.md row 37; KAFKA-18907
  const std::string half(20000, 'x');
  EXPECT_EQ(error(broker, "", {append, "metric.reporters", half}), 0);
  const std::string other(20000, 'y');
  EXPECT_EQ(error(broker, "", {append, "metric.reporters", other}), 40);
  const std::string most(32767, 'z');
  EXPECT_EQ(error(broker, "", {set, "x", most}), 0);
}

TEST_F(AlterConfigs, OneBadKeyRefusesItsResourceOnly) {
  add(topic, "a", {{set, "retention.ms", "5"}, {set, "nonsense", "1"}});
  add(broker, "", {{set, "log.retention.ms", "7"}});
  EXPECT_EQ(alter(), (Lines{"a 40", " 0"}));
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4: log.retention.ms=7"}));
}

TEST_F(AlterConfigs, OfAKeyGivenTwiceTheLastCounts) {
  add(topic, "a", {{set, "retention.ms", "bad"}, {set, "retention.ms", "6"}});
  EXPECT_EQ(alter(), (Lines{"a 0"}));
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:a retention.ms=6"}));
}

TEST_F(AlterConfigs, ValidateOnlyWritesNothing) {
  add(topic, "a", {{set, "retention.ms", "6"}});
  request_.validate_only = true;
  EXPECT_EQ(alter(), (Lines{"a 0"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(AlterConfigs, ResourcesAreChecked) {
  const Change change{set, "retention.ms", "5"};
  EXPECT_EQ(error(topic, "none", change), 3);
  EXPECT_EQ(error(topic, "none", {set, "retention.ms", "bad"}), 40) << "values before existence";
  EXPECT_EQ(error(topic, "a b", change), 17);
  EXPECT_EQ(error(topic, "", change), 42);
  EXPECT_EQ(error(broker, "x", change), 42);
  EXPECT_EQ(error(broker, "-1", change), 42);
  EXPECT_EQ(error(broker, "9", change), 102);
  EXPECT_EQ(error(99, "a", change), 35);
  EXPECT_EQ(error(group, "", {set, "consumer.session.timeout.ms", "46000"}), 42);
  EXPECT_EQ(error(client_metrics, "", {set, "interval.ms", "1000"}), 42);
  cluster_.config.static_voters.emplace_back().id = NodeId{9};
  EXPECT_EQ(error(broker, "9", change), 0) << "a static voter";
  cluster_.add_controller(10, {});
  EXPECT_EQ(error(broker, "10", change), 0) << "a registered controller";
}

TEST_F(AlterConfigs, AResourceTwiceIsAnsweredOnceAndNotChanged) {
  add(topic, "a", {{set, "retention.ms", "5"}});
  add(broker, "", {{set, "log.retention.ms", "7"}});
  add(topic, "a", {{set, "segment.ms", "5"}});
  add(topic, "a", {});
  EXPECT_EQ(alter(), (Lines{"a 42", " 0"}));
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4: log.retention.ms=7"}));
}

TEST_F(AlterConfigs, LoggersAreKafkasToCheckAndNotToBeFound) {
  EXPECT_EQ(error(logger, "x", {set, "root", "INFO"}), 42);
  EXPECT_EQ(error(logger, "1", {set, "root", "INFO"}), 42);
  EXPECT_EQ(error(logger, "3000", {append, "root", "INFO"}), 42);
  EXPECT_EQ(error(logger, "3000", {set, "root", "INFO"}), 40);
}

TEST_F(AlterConfigs, GroupsHaveTheBoundsOfBrokerKeys) {
  EXPECT_EQ(error(group, "g", {set, "consumer.session.timeout.ms", "50000"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 32:g consumer.session.timeout.ms=50000"}));
  EXPECT_EQ(error(group, "g", {set, "consumer.session.timeout.ms", "44999"}), 40);
  EXPECT_EQ(error(group, "g", {set, "consumer.session.timeout.ms", "60001"}), 40);
  EXPECT_EQ(error(group, "g", {set, "nonsense", "1"}), 40);
  EXPECT_EQ(error(group, "g", {set, "share.auto.offset.reset", "by_duration:PT1H"}), 0);
  EXPECT_EQ(error(group, "g", {set, "share.auto.offset.reset", "by_duration:-PT1H"}), 40);
  cluster_.config.static_configs["group.consumer.max.session.timeout.ms"] = "70000";
  EXPECT_EQ(error(group, "g", {set, "consumer.session.timeout.ms", "70000"}), 0);
}

TEST_F(AlterConfigs, ClientMetrics) {
  EXPECT_EQ(error(client_metrics, "m", {set, "match", "client_id=x.*,client_software_name=java"}), 0);
  EXPECT_EQ(error(client_metrics, "m", {set, "match", "client_id"}), 40);
  EXPECT_EQ(error(client_metrics, "m", {set, "match", "nobody=x"}), 40);
  EXPECT_EQ(error(client_metrics, "m", {set, "match", "client_id=(x"}), 40);
  EXPECT_EQ(error(client_metrics, "m", {set, "interval.ms", "99"}), 42);
  EXPECT_EQ(error(client_metrics, "m", {set, "interval.ms", "x"}), 40);
  EXPECT_EQ(error(client_metrics, "m", {set, "nonsense", "x"}), 42);
}

TEST_F(AlterConfigs, CordonedDirectoriesThroughAController) {
  EXPECT_EQ(error(broker, "1", {set, "cordoned.log.dirs", "/a"}), 40);
  cluster_.request.forwarded = true;
  EXPECT_EQ(error(broker, "1", {set, "cordoned.log.dirs", "/a,/b"}), 0);
  cluster_.request.forwarded = false;
  EXPECT_EQ(error(broker, "1", {set, "cordoned.log.dirs", "/b"}), 0);
  EXPECT_EQ(error(broker, "1", {set, "cordoned.log.dirs", "/b,/c"}), 40);
  EXPECT_EQ(error(broker, "1", {set, "cordoned.log.dirs", ""}), 0);
  TestCluster old({.metadata_version = 29});
  Request request;
  auto& resource = request.resources.push_back(old.arena);
  resource.resource_type = broker;
  resource.resource_name = "1";
  resource.configs.push_back(old.arena).name = "cordoned.log.dirs";
  const auto response = old.run([&](const HandlerContext& context, RecordList& records) {
    return incremental_alter_configs(context, request, records);
  });
  EXPECT_EQ(response.responses[0].error_code, ErrorCode::invalid_config);
}

TEST_F(AlterConfigs, TooManyRecordsRefuseTheWholeRequest) {
  std::vector<std::string> keys;
  for (int i = 0; i < 10001; ++i) keys.push_back("key" + std::to_string(i));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({set, key, "x"});
  add(topic, "a", {{set, "retention.ms", "5"}});
  add(broker, "", changes);
  EXPECT_EQ(alter(), (Lines{"a 44", " 44"}));
  EXPECT_TRUE(cluster_.lines.empty());
}

class AlterConfigsWithElr : public AlterConfigs {
 protected:
  AlterConfigsWithElr() : AlterConfigs({.elr = true}) {
    cluster_.add_topic("small", {.replicas = {1, 2, 3}, .isr = {1}, .elr = {2}});
    cluster_.set_config(4, "", "min.insync.replicas", "2");
  }
};

TEST_F(AlterConfigsWithElr, ATopicsMinInsyncReplicasClearsItsElr) {  // cases.md row 26; KAFKA-16540
  add(topic, "small", {{set, "min.insync.replicas", "1"}});
  add(topic, "a", {{set, "retention.ms", "5"}});
  EXPECT_EQ(alter(), (Lines{"small 0", "a 0"}));
  EXPECT_EQ(cluster_.lines,
            (Lines{"Config 2:small min.insync.replicas=1", "Config 2:a retention.ms=5", "ClearElr small"}));
  EXPECT_TRUE(cluster_.partition("small").elr().empty());
}

TEST_F(AlterConfigsWithElr, TheClustersClearsAll) {  // cases.md row 26
  EXPECT_EQ(error(broker, "", {set, "min.insync.replicas", "1"}), 0);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4: min.insync.replicas=1", "ClearElr "}));
  EXPECT_TRUE(cluster_.partition("small").elr().empty());
}

TEST_F(AlterConfigsWithElr, NoBrokersOwnAndNoneWithout) {
  EXPECT_EQ(error(broker, "1", {set, "min.insync.replicas", "1"}), 40);
  EXPECT_EQ(error(broker, "1", {remove_it, "min.insync.replicas", std::nullopt}), 40);
  EXPECT_EQ(error(broker, "", {remove_it, "min.insync.replicas", std::nullopt}), 40);
  EXPECT_EQ(error(broker, "", {set, "min.insync.replicas", std::nullopt}), 40);
}

}  // namespace
}  // namespace hayward::core

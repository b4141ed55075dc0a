// AlterConfigs: a resource's configs replaced as a whole.
#include "engine/core/control/alter_configs.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::AlterConfigsRequest;
using Response = messages::AlterConfigsResponse;
using Entries = std::vector<std::pair<std::string_view, std::optional<std::string_view>>>;

class ReplaceConfigs : public ::testing::Test {
 protected:
  ReplaceConfigs() { cluster_.add_topic("t", {.replicas = {1}, .isr = {1}}); }

  void add(Request& request, std::int8_t type, std::string_view name, const Entries& entries) {
    auto& resource = request.resources.push_back(cluster_.arena);
    resource.resource_type = type;
    resource.resource_name = name;
    for (const auto& [key, value] : entries) {
      auto& config = resource.configs.push_back(cluster_.arena);
      config.name = key;
      config.value = value;
    }
  }
  Response replace(const Request& request) {
    return cluster_.run(
        [&](const HandlerContext& context, RecordList& records) { return replace_configs(context, request, records); });
  }
  ErrorCode replace(std::int8_t type, std::string_view name, const Entries& entries) {
    Request request;
    add(request, type, name, entries);
    const Response response = replace(request);
    EXPECT_TRUE(cluster_.atomic);
    EXPECT_EQ(response.responses[0].resource_type, type);
    EXPECT_EQ(response.responses[0].resource_name, name);
    return response.responses[0].error_code;
  }

  TestCluster cluster_;
};

TEST_F(ReplaceConfigs, WhatIsNotListedIsRemoved) {
  EXPECT_EQ(replace(2, "t", {{"retention.ms", "5"}, {"cleanup.policy", "compact"}}), ErrorCode::none);
  EXPECT_EQ(replace(2, "t", {{"retention.ms", "5"}, {"segment.ms", "7"}}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:t cleanup.policy removed", "Config 2:t segment.ms=7"}));
  EXPECT_EQ(replace(2, "t", {{"retention.ms", std::nullopt}, {"segment.ms", "7"}}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:t retention.ms removed"})) << "null removes";
  EXPECT_EQ(replace(2, "t", {}), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:t segment.ms removed"}));
}

TEST_F(ReplaceConfigs, BrokersReloadWhatTheyFindRecorded) {  // KAFKA-14136
  replace(4, "1", {{"log.cleaner.threads", "2"}});
  replace(4, "1", {{"log.cleaner.threads", "2"}});
  EXPECT_EQ(cluster_.lines, (Lines{"Config 4:1 log.cleaner.threads=2"}));
  replace(2, "t", {{"segment.ms", "7"}});
  replace(2, "t", {{"segment.ms", "7"}});
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(ReplaceConfigs, IsRefusedWhole) {
  EXPECT_EQ(replace(2, "t", {{"retention.ms", "5"}, {"nonsense", "1"}}), ErrorCode::invalid_config);
  EXPECT_TRUE(cluster_.lines.empty());
  EXPECT_EQ(replace(2, "none", {{"retention.ms", "5"}}), ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(replace(4, "77", {}), ErrorCode::broker_id_not_registered);
  EXPECT_EQ(replace(8, "1", {{"kafka", "INFO"}}), ErrorCode::invalid_request);
  EXPECT_EQ(replace(99, "t", {}), ErrorCode::unsupported_version);
}

TEST_F(ReplaceConfigs, OneResourceDoesNotTouchTheOthers) {
  Request request;
  add(request, 2, "none", {{"retention.ms", "5"}});
  add(request, 2, "t", {{"retention.ms", "5"}});
  add(request, 4, "", {{"log.retention.ms", "1"}});
  add(request, 4, "", {{"log.retention.ms", "2"}});
  const Response response = replace(request);
  ASSERT_EQ(response.responses.size(), 3u);
  EXPECT_EQ(response.responses[0].error_code, ErrorCode::unknown_topic_or_partition);
  EXPECT_EQ(response.responses[1].error_code, ErrorCode::none);
  EXPECT_EQ(response.responses[2].error_code, ErrorCode::invalid_request) << "twice in the request";
  EXPECT_EQ(cluster_.lines, (Lines{"Config 2:t retention.ms=5"}));
  request.validate_only = true;
  replace(request);
  EXPECT_TRUE(cluster_.lines.empty());
}

TEST_F(ReplaceConfigs, WithElrTheClustersMinimumCannotBeLeftOut) {  // cases.md row 26; KAFKA-16540
  TestCluster elr({.elr = true});
  elr.set_config(4, "", "min.insync.replicas", "2");
  elr.add_topic("t", {.replicas = {1, 2}, .isr = {1}, .elr = {2}});
  const auto run = [&](const Entries& entries) {
    Request request;
    add(request, 4, "", entries);
    return elr
        .run([&](const HandlerContext& context, RecordList& records) {
          return replace_configs(context, request, records);
        })
        .responses[0]
        .error_code;
  };
  EXPECT_EQ(run({{"log.retention.ms", "5"}}), ErrorCode::invalid_config);
  EXPECT_EQ(run({{"min.insync.replicas", "1"}}), ErrorCode::none);
  EXPECT_EQ(elr.lines, (Lines{"Config 4: min.insync.replicas=1", "ClearElr "}));
  EXPECT_EQ(elr.state("t"), "leader 1 epoch 0/1 isr [1]");
}

}  // namespace
}  // namespace hayward::core

// UpdateFeatures: levels, support of nodes, dependencies, ELR's configs, and the hook for kraft.version.
#include "engine/core/control/update_features.h"

#include <gtest/gtest.h>

#include "cluster.h"

namespace hayward::core {
namespace {

using Request = messages::UpdateFeaturesRequest;

constexpr std::int8_t upgrade = 1, safe = 2, unsafe = 3;
constexpr std::string_view elr = "eligible.leader.replicas.version";
constexpr std::string_view mv = "metadata.version";
constexpr std::string_view kraft = "kraft.version";

class UpdateFeatures : public ::testing::Test {
 protected:
  explicit UpdateFeatures(TestCluster::Options options = {}) : cluster_(options) {}
  void add(std::string_view feature, std::int16_t level, std::int8_t type = upgrade) {
    auto& update = request_.feature_updates.push_back(cluster_.arena);
    update.feature = feature;
    update.max_version_level = level;
    update.upgrade_type = type;
  }
  ErrorCode update(std::int16_t version = 2) {
    outcome_ = cluster_.run([&](const HandlerContext& context,
                                RecordList& records) { return update_features(context, raft_, request_, records); },
                            version);
    request_ = {};
    const bool refused = outcome_.response.error_code != ErrorCode::none;
    EXPECT_EQ(outcome_.response.error_message.has_value(), refused);
    EXPECT_TRUE(!refused || (cluster_.lines.empty() && !outcome_.kraft_version));
    return outcome_.response.error_code;
  }
  ErrorCode update_one(std::string_view feature, std::int16_t level, std::int8_t type = upgrade) {
    add(feature, level, type);
    return update();
  }
  std::string text() const { return std::string(outcome_.response.error_message.value_or("")); }

  TestCluster cluster_;
  Request request_;
  RaftSight raft_;
  UpdateFeaturesOutcome outcome_;
};
constexpr ErrorCode refused = ErrorCode::invalid_update_version;

TEST_F(UpdateFeatures, RaisesAndRemoves) {
  EXPECT_EQ(update_one("transaction.version", 2), ErrorCode::none);
  EXPECT_EQ(cluster_.lines, (Lines{"Feature transaction.version=2"}));
  EXPECT_TRUE(cluster_.atomic);
  EXPECT_EQ(update_one("transaction.version", 2), ErrorCode::none) << "written again";
  EXPECT_EQ(cluster_.lines.size(), 1u);
  EXPECT_EQ(update_one("transaction.version", 0, safe), ErrorCode::none);
  EXPECT_EQ(cluster_.image.features().level("transaction.version"), 0);
}

TEST_F(UpdateFeatures, TheUpgradeTypeMustFit) {
  update_one("transaction.version", 1);
  EXPECT_EQ(update_one("transaction.version", 0), refused);
  EXPECT_EQ(update_one("transaction.version", 2, safe), refused);
  EXPECT_EQ(update_one("transaction.version", 2, unsafe), refused);
  EXPECT_EQ(update_one("transaction.version", 2, 0), refused);
  EXPECT_EQ(update_one("transaction.version", 2, 7), refused);
  EXPECT_EQ(update_one("transaction.version", 0, unsafe), ErrorCode::none);
}

TEST_F(UpdateFeatures, LevelsOutOfRange) {
  EXPECT_EQ(update_one("transaction.version", -1), refused);
  EXPECT_EQ(update_one("transaction.version", 3), refused);
  EXPECT_EQ(update_one("no.such.feature", 1), refused);
  EXPECT_EQ(update_one("no.such.feature", 0, safe), refused);
  EXPECT_EQ(update_one(mv, 31), refused);
  EXPECT_EQ(update_one(mv, 6, unsafe), refused);
  EXPECT_EQ(update_one(mv, 0, unsafe), refused);
}

TEST_F(UpdateFeatures, EveryBrokerMustSupportIt) {
  cluster_.add_broker({.id = 9, .features = {{"metadata.version", 7, 30}, {"share.version", 0, 0}}});
  EXPECT_EQ(update_one("share.version", 1), refused);
  EXPECT_NE(text().find("Broker 9"), std::string::npos) << text();
  EXPECT_EQ(update_one("group.version", 1), refused) << "not named is 0";
  EXPECT_EQ(update_one("group.version", 0, safe), ErrorCode::none);
}

TEST_F(UpdateFeatures, EveryControllerMustSupportItAndEveryStaticVoterHaveSaidSo) {
  for (std::int32_t id : {3000, 3001}) cluster_.config.static_voters.emplace_back().id = NodeId{id};
  raft_.replicas = {NodeId{3000}, NodeId{3001}};
  EXPECT_EQ(update_one("group.version", 1), refused);
  EXPECT_NE(text().find("3001"), std::string::npos) << text();
  cluster_.add_controller(3001, {{"group.version", 0, 0}});
  EXPECT_EQ(update_one("group.version", 1), refused);
  cluster_.add_controller(3001, {{"group.version", 0, 1}});
  cluster_.add_controller(3000, {});  // this one: its range is its own to know
  EXPECT_EQ(update_one("group.version", 1), ErrorCode::none);
}

// cases.md row 88: Kafka 4.3.1 has no API to unregister a controller, so one that is gone for good stays registered.
TEST_F(UpdateFeatures, Row88_AControllerThatIsGoneHasNoSay) {
  cluster_.add_controller(3002, {{"group.version", 0, 0}});
  raft_.replicas = {NodeId{3000}, NodeId{3002}};
  EXPECT_EQ(update_one("group.version", 1), refused) << "a voter or an observer that fetches";
  raft_.replicas = {NodeId{3000}};
  EXPECT_EQ(update_one("group.version", 1), ErrorCode::none);
}

TEST_F(UpdateFeatures, AllOrNothing) {
  add("group.version", 1);
  add("share.version", 9);
  EXPECT_EQ(update(), refused);
  add("group.version", 7);
  add("group.version", 1);  // the last counts
  EXPECT_EQ(update(), ErrorCode::none);
}

TEST_F(UpdateFeatures, ValidateOnlyWritesNothing) {
  add("group.version", 1);
  add(kraft, 1);
  request_.validate_only = true;
  EXPECT_EQ(update(), ErrorCode::none);
  EXPECT_TRUE(cluster_.lines.empty());
  EXPECT_FALSE(outcome_.kraft_version.has_value());
}

TEST_F(UpdateFeatures, OlderVersionsHaveAResultPerFeature) {  // cases.md row 92
  add("group.version", 1);
  EXPECT_EQ(update(1), ErrorCode::none);
  ASSERT_EQ(outcome_.response.results.size(), 1u);
  EXPECT_EQ(outcome_.response.results[0].feature, "group.version");
  EXPECT_FALSE(outcome_.response.results[0].error_message.has_value());  // KAFKA-18061
  add("group.version", 9);
  EXPECT_EQ(update(1), refused);
  EXPECT_TRUE(outcome_.response.results.empty());
  add("group.version", 1);
  update(2);
  EXPECT_TRUE(outcome_.response.results.empty());
}

TEST_F(UpdateFeatures, MetadataVersionGoesBackOnlyWhereNoRecordChanged) {
  TestCluster cluster({.metadata_version = 29});
  const auto try_level = [&](std::int16_t level, std::int8_t type) {
    Request request;
    auto& update = request.feature_updates.push_back(cluster.arena);
    update.feature = mv;
    update.max_version_level = level;
    update.upgrade_type = type;
    return cluster
        .run([&](const HandlerContext& context,
                 RecordList& records) { return update_features(context, {}, request, records); },
             2)
        .response.error_code;
  };
  EXPECT_EQ(try_level(28, safe), ErrorCode::none);
  EXPECT_EQ(try_level(22, safe), refused);
  EXPECT_EQ(try_level(22, unsafe), refused);
  EXPECT_EQ(try_level(23, safe), ErrorCode::none);
  EXPECT_EQ(try_level(30, upgrade), ErrorCode::none);
  EXPECT_EQ(try_level(29, safe), refused);
  EXPECT_EQ(cluster.image.features().level(mv), 30);
}

TEST_F(UpdateFeatures, ElrWantsMetadataVersion23) {
  TestCluster cluster({.metadata_version = 22});
  Request request;
  auto& update = request.feature_updates.push_back(cluster.arena);
  update.feature = elr;
  update.max_version_level = 1;
  const auto run = [&] {
    return cluster
        .run([&](const HandlerContext& context,
                 RecordList& records) { return update_features(context, {}, request, records); },
             2)
        .response.error_code;
  };
  EXPECT_EQ(run(), refused);
  auto& level = request.feature_updates.push_back(cluster.arena);
  level.feature = mv;
  level.max_version_level = 23;
  EXPECT_EQ(run(), ErrorCode::none) << "both in one request";
  EXPECT_EQ(cluster.lines, (Lines{"Config 4: min.insync.replicas=1", "Feature metadata.version=23",
                                  "Feature eligible.leader.replicas.version=1"}));
}

TEST_F(UpdateFeatures, SwitchingElrOnSettlesMinInsyncReplicas) {  // cases.md row 26; KAFKA-16540
  cluster_.config.static_configs["min.insync.replicas"] = "2";
  cluster_.set_config(4, "1", "min.insync.replicas", "3");
  cluster_.set_config(4, "2", "min.insync.replicas", "4");
  cluster_.set_config(4, "3", "log.retention.ms", "4");
  EXPECT_EQ(update_one(elr, 1), ErrorCode::none);
  EXPECT_EQ(cluster_.lines,
            (Lines{"Config 4: min.insync.replicas=2", "Config 4:1 min.insync.replicas removed",
                   "Config 4:2 min.insync.replicas removed", "Feature eligible.leader.replicas.version=1"}));
  EXPECT_EQ(update_one(elr, 1), ErrorCode::none);
  EXPECT_EQ(cluster_.lines.size(), 1u) << "settled already";
}

TEST_F(UpdateFeatures, KraftVersionIsRafts) {  // cases.md row 89
  EXPECT_EQ(update_one(kraft, 1), ErrorCode::none);
  EXPECT_EQ(outcome_.kraft_version, 1);
  EXPECT_EQ(cluster_.lines, (Lines{"NoOp"}));
  raft_.kraft_version = 1;
  EXPECT_EQ(update_one(kraft, 1), ErrorCode::none) << "there already";
  EXPECT_FALSE(outcome_.kraft_version.has_value());
  EXPECT_EQ(update_one(kraft, 0, safe), refused);
  EXPECT_EQ(update_one(kraft, 0), refused);
  EXPECT_EQ(update_one(kraft, 2), refused);
  raft_ = {.kraft_version = 0, .kraft_version_refusal = "a voter does not support it", .replicas = {}};
  EXPECT_EQ(update_one(kraft, 1), refused);
  EXPECT_NE(text().find("a voter does not support it"), std::string::npos);
}

}  // namespace
}  // namespace hayward::core

// BrokerRegistration, by the rows of the table of its checks (coverage/apis.md 6.1).
#include <gtest/gtest.h>

#include "world.h"

namespace hayward::core {
namespace {

using messages::BrokerRegistrationRequest;

void refused(World& world, const BrokerRegistrationRequest& request, ErrorCode error) {
  const auto response = world.registered(request);
  EXPECT_EQ(response.error_code, error);
  EXPECT_EQ(response.broker_epoch, BrokerEpoch{-1}) << "row 13";
  EXPECT_EQ(world.records, Lines{}) << "nothing in the log";
}

TEST(RegisterBroker, ANewBrokerIsFencedAndItsEpochIsTheNextOffset) {
  World world;
  world.write_no_ops(5);
  const std::int64_t next = world.log_end();
  EXPECT_EQ(world.registered(world.registration(1, 1)).broker_epoch, BrokerEpoch{next});
  EXPECT_EQ(world.records, Lines{"RegisterBroker v4 1 epoch " + std::to_string(next) + " fenced"});
  EXPECT_EQ(world.broker(1).register_offset, Offset{next});
  EXPECT_EQ(world.leases.size(), 0u) << "row 12: the session starts with the first heartbeat";
}

TEST(RegisterBroker, Row1_AnotherClusterIsRefused) {  // cases.md row 13; KAFKA-13528
  World world;
  auto request = world.registration(1, 1);
  request.cluster_id = "AAAAAAAAAAAAAAAAAAAAAg";
  refused(world, request, ErrorCode::inconsistent_cluster_id);
}

TEST(RegisterBroker, Row2_L7_AnotherIncarnationIsRefusedWhileTheLeaseLives) {
  World world;
  world.start_broker(1);
  world.pass_ms(8000);
  world.beat(world.heartbeat(1));
  EXPECT_EQ(world.pass_ms(8990), std::vector<std::int32_t>{});
  refused(world, world.registration(1, 2), ErrorCode::duplicate_broker_registration);
  EXPECT_EQ(world.pass_ms(30), std::vector<std::int32_t>{1});
  EXPECT_EQ(world.registered(world.registration(1, 2)).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row2_EveryHeartbeatIsContactAlsoOfAFencedOne) {
  World world;
  world.register_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = true;
  world.beat(heartbeat);
  world.pass_ms(8000);
  refused(world, world.registration(1, 2), ErrorCode::duplicate_broker_registration);
}

TEST(RegisterBroker, Row2_OneThatNeverHeartbeatedIsReplacedAtOnce) {
  World world;
  const BrokerEpoch first = world.register_broker(1, 1);
  const BrokerEpoch second = world.register_broker(1, 2);
  EXPECT_GT(second, first) << "C8";
}

TEST(RegisterBroker, Row2_AFencedOneIsReplacedAtOnceAfterAFailover) {  // cases.md row 5; KAFKA-19130
  World world;
  world.start_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_shut_down = true;
  EXPECT_TRUE(world.beat(heartbeat).should_shut_down);
  refused(world, world.registration(1, 2), ErrorCode::duplicate_broker_registration);
  world.fail_over();
  EXPECT_EQ(world.registered(world.registration(1, 2)).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row3_AZooKeeperBrokerIsRefused) {
  World world;
  auto request = world.registration(1, 1);
  request.is_migrating_zk_broker = true;
  refused(world, request, ErrorCode::broker_id_not_registered);
}

TEST(RegisterBroker, Row4_DirectoriesMustBeThereAndNeitherReservedNorTwiceNorTaken) {
  World world;
  world.register_broker(1);
  for (const std::vector<DirectoryId>& dirs : {std::vector<DirectoryId>{},
                                               {DirectoryId{Uuid{0, 99}}},
                                               {directory_unassigned, directory(2)},
                                               {directory(2), directory(3), directory(2)},
                                               {directory(2), directory(1)}}) {
    auto request = world.registration(2, 1);
    request.log_dirs = Array<DirectoryId>(std::span(dirs));
    refused(world, request, ErrorCode::invalid_registration);
  }
}

TEST(RegisterBroker, Row4_ADirectoryIsFreeAgainWhenItsOwnerIsGoneOrHasRegisteredWithoutIt) {
  World world;
  world.register_broker(1);
  world.unregister(1);
  auto request = world.registration(2, 1);
  request.log_dirs.push_back(world.arena, directory(1));
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
  EXPECT_EQ(world.registered(world.registration(2, 1)).error_code, ErrorCode::none);
  EXPECT_EQ(world.registered(world.registration(1, 1)).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row4_BelowLevel17DirectoriesAreNeitherAskedForNorStored) {
  World world({.metadata_version = 16});
  auto request = world.registration(1, 1);
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
  EXPECT_TRUE(world.broker(1).log_dirs.empty());
  EXPECT_EQ(world.records, Lines{"RegisterBroker v2 1 epoch 1 fenced"});
  request.log_dirs = {};
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row5_AnUnknownSecurityProtocolIsRefused) {
  for (const std::int16_t protocol : std::initializer_list<std::int16_t>{-1, 4, 32767}) {
    World world;
    auto request = world.registration(1, 1);
    request.listeners[0].security_protocol = protocol;
    refused(world, request, ErrorCode::invalid_registration);
  }
}

TEST(RegisterBroker, Row6_AFeatureRangeMustHoldTheFinalizedLevel) {
  World world({.metadata_version = 20});
  auto request = world.registration(1, 1);
  request.features[0].min_supported_version = 21;
  refused(world, request, ErrorCode::unsupported_version);
  request.features[0].min_supported_version = 7;
  request.features[0].max_supported_version = 19;
  refused(world, request, ErrorCode::unsupported_version);
  request.features[0].min_supported_version = 25;  // an inverted range holds nothing
  refused(world, request, ErrorCode::unsupported_version);
}

TEST(RegisterBroker, Row6_AnUnknownFeatureIsFineFromZeroOn) {
  World world;
  auto request = world.registration(1, 1);
  auto& feature = request.features.push_back(world.arena);
  feature.name = "no.such.version";
  feature.min_supported_version = 1;
  feature.max_supported_version = 3;
  refused(world, request, ErrorCode::unsupported_version);
  feature.min_supported_version = 0;
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row7_MetadataVersionMustBeAmongTheFeatures) {
  World world;
  auto request = world.registration(1, 1);
  request.features[0].name = "something.version";
  request.features[0].min_supported_version = 0;
  refused(world, request, ErrorCode::invalid_registration);
}

TEST(RegisterBroker, Row8_AFinalizedFeatureThatIsNotSentIsUnsupported) {
  World world({.elr = true});
  auto request = world.registration(1, 1);
  request.features[2].name = "other.version";
  refused(world, request, ErrorCode::unsupported_version);
  World kraft({.kraft_version = 1});
  request.features[1].name = "another.version";
  refused(kraft, request, ErrorCode::unsupported_version);
  World neither;
  EXPECT_EQ(neither.registered(request).error_code, ErrorCode::none);
}

TEST(RegisterBroker, Row9_C3_WithoutElrTheLastIsrMemberStays) {
  World world;
  world.start_broker(1);
  world.add_topic(1, {.replicas = {1}, .isr = {1}});
  world.pass_ms(9020);
  world.register_broker(1, 2);
  EXPECT_EQ(world.records.size(), 1u) << "no partition change";
  EXPECT_TRUE(world.partition(1).in_isr(NodeId{1}));
}

TEST(RegisterBroker, Row9_CleanUpComesBeforeTheRegistration) {
  World world;
  const BrokerEpoch epoch = world.register_broker(1, 1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  const std::int64_t next = world.log_end();
  const BrokerEpoch second = world.register_broker(1, 2);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2",
                                  "RegisterBroker v4 1 epoch " + std::to_string(next) + " fenced"}));
  EXPECT_GT(second, epoch);
  EXPECT_EQ(world.broker(1).register_offset, Offset{next + 1}) << "row 11: the epoch is below the record's offset";
}

TEST(RegisterBroker, Row9_WithElrAnUncleanRestartLeavesTheElrsToo) {  // cases.md row 25; KAFKA-18106, 15586
  for (const bool clean : {true, false}) {
    World world({.elr = true});
    const BrokerEpoch epoch = world.register_broker(1, 1);
    world.start_broker(2);
    world.set_topic_config(1, "min.insync.replicas", "2");
    world.add_topic(1, {.replicas = {1, 2}, .isr = {2}, .elr = {1}});
    auto request = world.registration(1, 2);
    request.previous_broker_epoch = clean ? epoch : BrokerEpoch{-1};
    EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
    EXPECT_EQ(world.records.size(), clean ? 1u : 2u);
    EXPECT_EQ(world.partition(1).in_elr(NodeId{1}), clean);
  }
}

TEST(RegisterBroker, Row9_BelowVersion3NoShutdownCountsAsClean) {
  World world({.elr = true});
  const BrokerEpoch epoch = world.register_broker(1, 1);
  world.start_broker(2);
  world.set_topic_config(1, "min.insync.replicas", "2");
  world.add_topic(1, {.replicas = {1, 2}, .isr = {2}, .elr = {1}});
  auto request = world.registration(1, 2);
  request.previous_broker_epoch = epoch;
  world.call(2, [&](const HandlerContext& context, RecordList& list) {
    return register_broker(context, world.states, world.kraft_version, request, list);
  });
  EXPECT_FALSE(world.partition(1).in_elr(NodeId{1}));
}

TEST(RegisterBroker, Row10_TheSameIncarnationKeepsEpochAndFlags) {  // cases.md row 7; KAFKA-16952, 16757
  World world;
  const BrokerEpoch epoch = world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto request = world.registration(1, 1);
  request.log_dirs.push_back(world.arena, directory(31));
  EXPECT_EQ(world.registered(request).broker_epoch, epoch);
  EXPECT_EQ(world.records, Lines{"RegisterBroker v4 1 epoch " + std::to_string(epoch.value) + " unfenced"});
  EXPECT_EQ(world.partition(1).leader_epoch, LeaderEpoch{0});
  EXPECT_TRUE(world.leases.find(NodeId{1}).has_value()) << "the lease goes on";
  EXPECT_EQ(world.broker(1).log_dirs.size(), 2u);

  auto heartbeat = world.heartbeat(1);
  heartbeat.want_shut_down = true;
  world.beat(heartbeat);
  world.registered(request);
  EXPECT_EQ(world.records, Lines{"RegisterBroker v4 1 epoch " + std::to_string(epoch.value) + " unfenced shutdown"});
}

TEST(RegisterBroker, Row12_ANewIncarnationEndsTheOldLease) {
  World world;
  world.start_broker(1);
  world.pass_ms(9020);
  world.beat(world.heartbeat(1));
  world.stall_ms(0);
  world.fail_over();  // broker 1 is unfenced: a fresh lease
  EXPECT_EQ(world.leases.size(), 1u);
  world.pass_ms(9020);
  world.register_broker(1, 2);
  EXPECT_EQ(world.leases.size(), 0u);
  EXPECT_EQ(world.pass_ms(20'000), std::vector<std::int32_t>{});
}

TEST(RegisterBroker, Row15_WhatIsNotChecked) {
  World world;
  auto request = world.registration(100, 1);  // the controller's own id
  auto& again = request.listeners.push_back(world.arena);
  again.name = "PLAINTEXT";
  again.host = "elsewhere";
  again.port = 0;
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
  ASSERT_EQ(world.broker(100).endpoints.size(), 1u) << "of two listeners with one name the last is stored";
  EXPECT_EQ(world.broker(100).endpoints[0].host, "elsewhere");
  request.listeners = {};
  EXPECT_EQ(world.registered(request).error_code, ErrorCode::none);
}

TEST(RegisterBroker, ANegativeIdIsRefused) {
  World world;
  for (const std::int32_t id : {-1, INT32_MIN}) refused(world, world.registration(id, 1), ErrorCode::invalid_request);
}

}  // namespace
}  // namespace hayward::core

// UnregisterBroker, ControllerRegistration and DescribeCluster (coverage/apis.md 5 and 6.3).
#include <gtest/gtest.h>

#include "world.h"

namespace hayward::core {
namespace {

TEST(UnregisterBroker, AnUnknownIdIsRefused) {
  World world;
  const auto response = world.unregister(3);
  EXPECT_EQ(response.error_code, ErrorCode::broker_id_not_registered);
  EXPECT_EQ(response.error_message, "Broker ID 3 is not currently registered");
  EXPECT_EQ(world.records, Lines{});
}

TEST(UnregisterBroker, TakesALivingBrokerOutOfIsrsFirst) {
  World world;
  const BrokerEpoch epoch = world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  const auto response = world.unregister(1);
  EXPECT_EQ(response.error_code, ErrorCode::none);
  EXPECT_EQ(response.error_message, "");
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2",
                                  "UnregisterBroker v0 1 epoch " + std::to_string(epoch.value)}));
  EXPECT_EQ(world.leases.size(), 1u);
  EXPECT_TRUE(world.partition(1).is_replica(NodeId{1})) << "replica lists keep it";
  auto heartbeat = world.heartbeat(1);
  heartbeat.broker_epoch = epoch;
  EXPECT_EQ(world.beat(heartbeat).error_code, ErrorCode::stale_broker_epoch);
  EXPECT_EQ(world.leases.size(), 1u) << "and no lease comes of it";
}

TEST(UnregisterBroker, LeavesItInElrs) {
  World world({.elr = true});
  world.start_broker(1);
  world.start_broker(2);
  world.set_topic_config(1, "min.insync.replicas", "2");
  world.add_topic(1, {.replicas = {1, 2}, .isr = {2}, .elr = {1}});
  world.add_topic(2, {.replicas = {1}, .isr = {1}});
  world.unregister(1);
  EXPECT_TRUE(world.partition(1).in_elr(NodeId{1}));
  EXPECT_TRUE(world.partition(2).in_elr(NodeId{1}));
  EXPECT_TRUE(world.partition(2).isr().empty());
}

messages::ControllerRegistrationRequest controller(World& world, std::int32_t id, std::string_view listener) {
  messages::ControllerRegistrationRequest request;
  request.controller_id = NodeId{id};
  request.incarnation_id = incarnation(static_cast<std::uint64_t>(id));
  request.zk_migration_ready = true;
  auto& endpoint = request.listeners.push_back(world.arena);
  endpoint.name = listener;
  endpoint.host = "host" ;
  endpoint.port = 9093;
  auto& feature = request.features.push_back(world.arena);
  feature.name = "metadata.version";
  feature.min_supported_version = 7;
  feature.max_supported_version = 30;
  return request;
}

messages::ControllerRegistrationResponse register_controller(World& world,
                                                             const messages::ControllerRegistrationRequest& request) {
  return world.call(0, [&](const HandlerContext& context, RecordList& list) {
    return controller_registration(context, request, list);
  });
}

TEST(ControllerRegistration, ReplacesWhatWasStored) {
  World world;
  EXPECT_EQ(register_controller(world, controller(world, 100, "CONTROLLER")).error_code, ErrorCode::none);
  EXPECT_EQ(world.records, Lines{"RegisterController v0 100"});
  EXPECT_FALSE(world.image.cluster().controller(NodeId{100})->zk_migration_ready);
  auto request = controller(world, 100, "OTHER");
  request.incarnation_id = incarnation(77);
  EXPECT_EQ(register_controller(world, request).error_code, ErrorCode::none);
  EXPECT_EQ(world.image.cluster().controller(NodeId{100})->endpoints[0].listener, "OTHER");
}

TEST(ControllerRegistration, NeedsLevel15AndSense) {
  World old({.metadata_version = 14});
  EXPECT_EQ(register_controller(old, controller(old, 100, "CONTROLLER")).error_code, ErrorCode::unsupported_version);
  World world;
  auto request = controller(world, -2, "CONTROLLER");
  EXPECT_EQ(register_controller(world, request).error_code, ErrorCode::invalid_request);
  request = controller(world, 100, "CONTROLLER");
  request.listeners[0].security_protocol = 9;
  EXPECT_EQ(register_controller(world, request).error_code, ErrorCode::invalid_request);
  EXPECT_EQ(world.records, Lines{});
}

messages::DescribeClusterResponse describe(World& world, std::int16_t version, std::int8_t endpoint_type,
                                           std::int32_t leader, bool operations = false) {
  messages::DescribeClusterRequest request;
  request.endpoint_type = endpoint_type;
  request.include_cluster_authorized_operations = operations;
  return world.call(version, [&](const HandlerContext& context, RecordList&) {
    return describe_cluster(context, request, NodeId{leader});
  });
}

TEST(DescribeCluster, ListsControllersOfTheSameListener) {
  World world;
  register_controller(world, controller(world, 100, "CONTROLLER"));
  register_controller(world, controller(world, 101, "CONTROLLER_B"));
  auto response = describe(world, 1, 2, 100);
  EXPECT_EQ(response.error_code, ErrorCode::none);
  EXPECT_EQ(response.cluster_id, test_cluster_id);
  EXPECT_EQ(response.endpoint_type, 2);
  EXPECT_EQ(response.controller_id, NodeId{100});
  ASSERT_EQ(response.brokers.size(), 1u);
  EXPECT_EQ(response.brokers[0].broker_id, NodeId{100});
  EXPECT_EQ(response.brokers[0].port, 9093);
  EXPECT_EQ(response.cluster_authorized_operations, INT32_MIN);
  EXPECT_EQ(describe(world, 1, 2, 101).controller_id, no_node) << "the leader is not in the list";
  EXPECT_EQ(describe(world, 1, 2, 100, true).cluster_authorized_operations, 0b1111110100000);
}

TEST(DescribeCluster, RefusesOtherEndpointTypesAndOldClusters) {
  World world;
  EXPECT_EQ(describe(world, 1, 1, 100).error_code, ErrorCode::mismatched_endpoint_type);
  EXPECT_EQ(describe(world, 1, 9, 100).error_code, ErrorCode::unsupported_endpoint_type);
  EXPECT_EQ(describe(world, 0, 1, 100).error_code, ErrorCode::invalid_request);
  World old({.metadata_version = 14});
  EXPECT_EQ(describe(old, 1, 2, 100).error_code, ErrorCode::unsupported_version);
}

}  // namespace
}  // namespace hayward::core

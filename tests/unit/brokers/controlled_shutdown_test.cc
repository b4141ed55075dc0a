// Controlled shutdown: the rows of coverage/apis.md 6.2 about it, and invariant C19.
#include <gtest/gtest.h>

#include "world.h"

namespace hayward::core {
namespace {

messages::BrokerHeartbeatRequest wants_shutdown(World& world, std::int32_t id) {
  auto heartbeat = world.heartbeat(id);
  heartbeat.want_shut_down = true;
  return heartbeat;
}

// 1 leads t1, 2 follows.
World* make_pair(World& world) {
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  return &world;
}

TEST(ControlledShutdown, ABrokerThatLeadsNothingStopsAtOnce) {
  World world;
  make_pair(world);
  const auto answer = world.beat(wants_shutdown(world, 2));
  EXPECT_TRUE(answer.should_shut_down);
  EXPECT_TRUE(answer.is_fenced);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [1]", "BrokerRegistrationChange v0 2 fence"}));
}

TEST(ControlledShutdown, ALeaderEntersItAndItsLeadershipMoves) {
  World world;
  make_pair(world);
  const auto answer = world.beat(wants_shutdown(world, 1));
  EXPECT_FALSE(answer.should_shut_down);
  EXPECT_FALSE(answer.is_fenced);
  EXPECT_EQ(world.records,
            (Lines{"BrokerRegistrationChange v1 1 shutdown", "PartitionChange v2 t1 isr [2] leader 2"}));
  EXPECT_TRUE(world.broker(1).in_controlled_shutdown);
}

TEST(ControlledShutdown, C19_EndsOnlyWhenEveryActiveBrokerHasReadIt) {
  World world;
  make_pair(world);
  world.start_broker(3);
  world.beat(wants_shutdown(world, 1));
  const Offset shutdown_offset = world.image.last_offset();
  world.beat(world.heartbeat(2));
  EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down) << "3 has not read it";
  EXPECT_EQ(world.records, Lines{});
  auto heartbeat = world.heartbeat(3);
  heartbeat.current_metadata_offset = Offset{shutdown_offset.value - 1};
  world.beat(heartbeat);
  EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down);
  heartbeat.current_metadata_offset = shutdown_offset;
  world.beat(heartbeat);
  const auto answer = world.beat(wants_shutdown(world, 1));
  EXPECT_TRUE(answer.should_shut_down);
  EXPECT_TRUE(answer.is_fenced);
  EXPECT_EQ(world.records, Lines{"BrokerRegistrationChange v0 1 fence"});
}

TEST(ControlledShutdown, TheOffsetIsSetOnce) {  // cases.md row 10; KAFKA-14292
  World world;
  make_pair(world);
  world.beat(wants_shutdown(world, 1));
  const Offset first = world.image.last_offset();
  for (int i = 0; i < 5; ++i) {
    world.write_no_ops(10);
    EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down);
  }
  auto heartbeat = world.heartbeat(2);
  heartbeat.current_metadata_offset = first;
  world.beat(heartbeat);
  EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down);
}

TEST(ControlledShutdown, ALoneLeaderStopsAtItsSecondRequest) {
  for (const bool elr : {false, true}) {
    World world({.elr = elr});
    world.start_broker(1);
    world.add_topic(1, {.replicas = {1}, .isr = {1}});
    EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down);
    EXPECT_EQ(world.partition(1).leader, no_node);
    EXPECT_EQ(world.partition(1).isr().empty(), elr) << "C3";
    EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down);
  }
}

// The wish that began it stands, whatever a later heartbeat asks (found by the mixed script, seeds 3 and 4).
TEST(ControlledShutdown, GoesOnWithoutTheWish) {
  for (const bool want_fence : {false, true}) {
    World world;
    make_pair(world);
    world.beat(wants_shutdown(world, 1));
    auto heartbeat = world.heartbeat(1);
    heartbeat.want_fence = want_fence;
    EXPECT_FALSE(world.beat(heartbeat).should_shut_down) << "broker 2 has not read it";
    EXPECT_EQ(world.records, Lines{});
    world.beat(world.heartbeat(2));
    heartbeat = world.heartbeat(1);
    heartbeat.want_fence = want_fence;
    const auto answer = world.beat(heartbeat);
    EXPECT_TRUE(answer.is_fenced);
    EXPECT_TRUE(answer.should_shut_down);
  }
}

TEST(ControlledShutdown, BrokersThatAreFencedOrShuttingDownNeedNotReadIt) {
  World world;
  make_pair(world);
  world.register_broker(3);
  world.start_broker(4);
  world.add_topic(2, {.replicas = {4, 2}, .isr = {4, 2}});
  world.beat(wants_shutdown(world, 4));
  world.beat(wants_shutdown(world, 1));
  world.beat(world.heartbeat(2));
  EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down);
}

TEST(ControlledShutdown, IsRebuiltFromTheNextRequestAfterAFailover) {
  World world;
  make_pair(world);
  world.add_topic(2, {.replicas = {1}, .isr = {1}});
  world.beat(wants_shutdown(world, 1));
  world.fail_over();
  EXPECT_TRUE(world.broker(1).in_controlled_shutdown);
  EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down) << "it leads nothing any more";
}

TEST(ControlledShutdown, AfterAFailoverTheOthersMustReportFirst) {
  World world;
  make_pair(world);
  world.fail_over();
  world.beat(wants_shutdown(world, 1));
  EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down) << "2 has reported nothing yet";
  world.beat(world.heartbeat(2));
  EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down);
}

TEST(ControlledShutdown, OneThatFallsSilentIsFencedAndMayThenStopAtOnce) {
  World world;
  make_pair(world);
  world.beat(wants_shutdown(world, 1));
  world.pass_ms(5000);
  world.beat(world.heartbeat(2));
  EXPECT_EQ(world.pass_ms(4020), std::vector<std::int32_t>{1});
  EXPECT_FALSE(world.states.of({NodeId{1}, world.broker(1).epoch}).in_controlled_shutdown());
  EXPECT_TRUE(world.beat(wants_shutdown(world, 1)).should_shut_down);
}

TEST(ControlledShutdown, OneThatStillLeadsIsAskedToLeaveAgain) {
  World world;
  make_pair(world);
  world.beat(wants_shutdown(world, 1));
  world.add_topic(2, {.replicas = {1, 2}, .isr = {1, 2}});  // decided by a controller that did not know
  world.beat(world.heartbeat(2));
  EXPECT_FALSE(world.beat(wants_shutdown(world, 1)).should_shut_down);
  EXPECT_EQ(world.records, Lines{"PartitionChange v2 t2 isr [2] leader 2"});
}

}  // namespace
}  // namespace hayward::core

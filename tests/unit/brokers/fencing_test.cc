// Leases that run out, activation, and what a pause of our own must not do.
#include <gtest/gtest.h>

#include <algorithm>

#include "world.h"

namespace hayward::core {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(Fencing, L1L2_ASilentBrokerIsFencedAfterItsSession) {
  World world;
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  world.pass_ms(2000);
  world.beat(world.heartbeat(2));
  EXPECT_EQ(world.pass_ms(7000), Ids{});
  EXPECT_EQ(world.pass_ms(15), Ids{1});
  EXPECT_EQ(world.records,
            (Lines{"PartitionChange v2 t1 isr [2] leader 2", "BrokerRegistrationChange v0 1 fence"}));
}

TEST(Fencing, SeveralAtOnceAreOneStepOverTheirUnion) {  // cases.md row 8; KAFKA-13173, M16
  World world;
  for (const std::int32_t id : {1, 2, 3}) world.start_broker(id);
  world.add_topic(1, {.replicas = {1, 2, 3}, .isr = {1, 2, 3}});
  world.pass_ms(2000);
  world.beat(world.heartbeat(3));
  EXPECT_EQ(world.pass_ms(7020), (Ids{1, 2}));
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [3] leader 3", "BrokerRegistrationChange v0 1 fence",
                                  "BrokerRegistrationChange v0 2 fence"}))
      << "no record elects a broker that is fenced with it";
}

TEST(Fencing, C3_WhenAWholeIsrLeavesAtOnceTheLeaderStaysInIt) {
  World world;
  for (const std::int32_t id : {1, 2, 3}) world.start_broker(id);
  world.add_topic(1, {.replicas = {1, 2, 3}, .isr = {3, 2, 1}, .leader = 2});
  EXPECT_EQ(world.pass_ms(9020), (Ids{1, 2, 3}));
  EXPECT_EQ(world.records[0], "PartitionChange v2 t1 isr [2] leader -1");
  world.beat(world.heartbeat(1));
  EXPECT_EQ(world.partition(1).leader, no_node) << "1 may lack what 2 had";
  world.beat(world.heartbeat(2));
  EXPECT_EQ(world.partition(1).leader, NodeId{2});
}

TEST(Fencing, AFencedBrokerThatHeartbeatedIsFencedOnceMore) {
  World world;
  world.register_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = true;
  world.beat(heartbeat);
  EXPECT_EQ(world.pass_ms(9020), Ids{1});
  EXPECT_EQ(world.records, Lines{"BrokerRegistrationChange v0 1 fence"});
  EXPECT_EQ(world.pass_ms(60'000), Ids{});
}

TEST(Fencing, AHeartbeatAfterTheFenceUnfencesAgain) {
  World world;
  world.start_broker(1);
  EXPECT_EQ(world.pass_ms(9020), Ids{1});
  EXPECT_FALSE(world.beat(world.heartbeat(1)).is_fenced);
  EXPECT_EQ(world.pass_ms(8000), Ids{}) << "with a full new lease";
}

// cases.md row 4.
TEST(Fencing, L3_ActivationGivesUnfencedBrokersOneFreshLeaseAndFencedOnesNone) {  // KAFKA-18138, 19130; M17
  World world;
  world.start_broker(1);
  world.register_broker(2);
  auto heartbeat = world.heartbeat(2);
  heartbeat.want_fence = true;
  world.beat(heartbeat);
  world.pass_ms(5000);
  world.fail_over();
  EXPECT_TRUE(world.leases.find(NodeId{1}));
  EXPECT_FALSE(world.leases.find(NodeId{2}));
  EXPECT_EQ(world.pass_ms(9000), Ids{}) << "a full session from the activation";
  EXPECT_EQ(world.pass_ms(15), Ids{1});
}

TEST(Fencing, L4_APauseOfOursFencesNobodyWhoKeptTrying) {  // cases.md row 1; KAFKA-17793, 15019
  World world;
  for (const std::int32_t id : {1, 2}) world.start_broker(id);
  world.pass_ms(2000);
  world.stall_ms(27'000);
  world.beat(world.heartbeat(1));
  EXPECT_EQ(world.pass_ms(6000), Ids{});
  EXPECT_EQ(world.pass_ms(1020), Ids{2}) << "2 has been silent for its whole session but for our pause";
  EXPECT_EQ(world.pass_ms(1900), Ids{});
}

TEST(Fencing, L9_AnExpiryOfAnEarlierTermCountsForNothing) {
  World world;
  world.start_broker(1);
  const BrokerIncarnation broker{NodeId{1}, world.broker(1).epoch};
  EXPECT_TRUE(world.states.take_expired({Epoch{0}, {broker}}).empty());
  EXPECT_TRUE(world.states.has_lease(broker));
  EXPECT_EQ(world.states.take_expired({Epoch{1}, {broker}}).size(), 1u);
  EXPECT_TRUE(world.states.take_expired({Epoch{1}, {broker}}).empty()) << "once";
}

TEST(Fencing, AnExpiryOfAReplacedIncarnationCountsForNothing) {
  World world;
  const BrokerEpoch old_epoch = world.register_broker(1, 1);
  world.register_broker(1, 2);
  world.beat(world.heartbeat(1));
  EXPECT_TRUE(world.states.take_expired({Epoch{1}, {{NodeId{1}, old_epoch}}}).empty());
}

TEST(Fencing, DeactivationEndsEveryLease) {
  World world;
  world.start_broker(1);
  Effects out;
  world.states.deactivate(out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ResetLeases>(out[0]));
  EXPECT_FALSE(world.states.has_lease({NodeId{1}, world.broker(1).epoch}));
}

TEST(Fencing, C3_TheLastIsrMemberStaysWithoutElrAndMovesToTheElrWithIt) {
  for (const bool elr : {false, true}) {
    World world({.elr = elr});
    world.start_broker(1);
    world.add_topic(1, {.replicas = {1}, .isr = {1}});
    world.pass_ms(9020);
    EXPECT_EQ(world.partition(1).leader, no_node);
    EXPECT_EQ(world.partition(1).in_isr(NodeId{1}), !elr);
    EXPECT_EQ(world.partition(1).in_elr(NodeId{1}), elr);
    world.beat(world.heartbeat(1));
    EXPECT_EQ(world.partition(1).leader, NodeId{1});
    EXPECT_EQ(world.partition(1).leader_recovery_state, LeaderRecoveryState::recovered);
  }
}

}  // namespace
}  // namespace hayward::core

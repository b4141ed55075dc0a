// BrokerHeartbeat, by the rows of its state machine (coverage/apis.md 6.2) but for controlled shutdown.
#include <gtest/gtest.h>

#include "world.h"

namespace hayward::core {
namespace {

using Answer = messages::BrokerHeartbeatResponse;

// error, caught up, fenced, shut down: in the order of the wire.
void expect_answer(const Answer& answer, bool caught_up, bool fenced, bool shut_down) {
  EXPECT_EQ(answer.error_code, ErrorCode::none);
  EXPECT_EQ(answer.is_caught_up, caught_up);
  EXPECT_EQ(answer.is_fenced, fenced);
  EXPECT_EQ(answer.should_shut_down, shut_down);
}

Lines fence_of(int id) { return {"BrokerRegistrationChange v0 " + std::to_string(id) + " fence"}; }
Lines unfence_of(int id) { return {"BrokerRegistrationChange v0 " + std::to_string(id) + " unfence"}; }

TEST(BrokerHeartbeat, AStrangerOrAnotherEpochIsStale) {  // cases.md row 11; PR 12274
  World world;
  auto heartbeat = world.heartbeat(5);
  Answer answer = world.beat(heartbeat);
  EXPECT_EQ(answer.error_code, ErrorCode::stale_broker_epoch);
  EXPECT_FALSE(answer.is_caught_up);
  EXPECT_TRUE(answer.is_fenced);
  EXPECT_FALSE(answer.should_shut_down);
  const BrokerEpoch epoch = world.start_broker(5);
  for (const std::int64_t other : {epoch.value - 1, epoch.value + 1, std::int64_t{-1}}) {
    heartbeat = world.heartbeat(5);
    heartbeat.broker_epoch = BrokerEpoch{other};
    heartbeat.want_fence = true;
    EXPECT_EQ(world.beat(heartbeat).error_code, ErrorCode::stale_broker_epoch);
    EXPECT_EQ(world.records, Lines{}) << "C9";
  }
}

TEST(BrokerHeartbeat, TheLoserOfADuplicateIdGetsADefiniteErrorToItsShutdown) {  // cases.md row 20; AutoMQ 3465
  World world;
  const BrokerEpoch loser = world.register_broker(1, 1);
  world.register_broker(1, 2);
  auto heartbeat = world.heartbeat(1);
  heartbeat.broker_epoch = loser;
  heartbeat.want_shut_down = true;
  EXPECT_EQ(world.beat(heartbeat).error_code, ErrorCode::stale_broker_epoch);
}

TEST(BrokerHeartbeat, Fenced_WantsToStayFenced) {
  World world;
  world.register_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = true;
  heartbeat.current_metadata_offset = Offset{-1};
  expect_answer(world.beat(heartbeat), false, true, false);
  heartbeat.current_metadata_offset = world.broker(1).register_offset;
  expect_answer(world.beat(heartbeat), true, true, false);
  EXPECT_EQ(world.records, Lines{});
}

TEST(BrokerHeartbeat, Fenced_IsUnfencedOnceCaughtUp) {
  World world;
  world.register_broker(1);
  world.write_no_ops(3);
  auto heartbeat = world.heartbeat(1);
  heartbeat.current_metadata_offset = Offset{world.broker(1).register_offset.value - 1};
  expect_answer(world.beat(heartbeat), false, true, false);
  EXPECT_EQ(world.records, Lines{});
  heartbeat.current_metadata_offset = world.broker(1).register_offset;
  expect_answer(world.beat(heartbeat), true, false, false);
  EXPECT_EQ(world.records, unfence_of(1));
  EXPECT_TRUE(world.leases.find(NodeId{1}));
}

TEST(BrokerHeartbeat, Fenced_UnfencingElectsItWhereNobodyLeads) {
  World world;
  world.register_broker(1);
  world.register_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1}, .leader = -1});
  world.add_topic(2, {.replicas = {2, 1}, .isr = {2}, .leader = -1});
  EXPECT_FALSE(world.beat(world.heartbeat(1)).is_fenced);
  EXPECT_EQ(world.records, (Lines{unfence_of(1)[0], "PartitionChange v2 t1 leader 1"}));
  EXPECT_EQ(world.partition(2).leader, no_node) << "1 is not in its ISR";
}

TEST(BrokerHeartbeat, Fenced_MayStopAtOnceEachTimeItAsks) {
  World world;
  world.register_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_shut_down = true;
  for (int i = 0; i < 2; ++i) {
    expect_answer(world.beat(heartbeat), true, true, true);
    EXPECT_EQ(world.records, fence_of(1));
  }
}

TEST(BrokerHeartbeat, Unfenced_WantingNothingWritesNothing) {
  World world;
  world.start_broker(1);
  expect_answer(world.beat(world.heartbeat(1)), true, false, false);
  EXPECT_EQ(world.records, Lines{});
}

TEST(BrokerHeartbeat, Unfenced_WantFence) {
  World world;
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = true;
  expect_answer(world.beat(heartbeat), true, true, false);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2", fence_of(1)[0]}));
}

TEST(BrokerHeartbeat, Unfenced_WantFenceAndShutDownStopsEvenALeader) {
  World world;
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = heartbeat.want_shut_down = true;
  expect_answer(world.beat(heartbeat), true, true, true);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2", fence_of(1)[0]}));
}

TEST(BrokerHeartbeat, AFollowersLeavingKeepsTheLeaderEpoch) {  // cases.md row 17; KAFKA-15021
  World world;
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto heartbeat = world.heartbeat(2);
  heartbeat.want_fence = true;
  world.beat(heartbeat);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [1]", fence_of(2)[0]}));
  EXPECT_EQ(world.partition(1).leader_epoch, LeaderEpoch{0});
  EXPECT_EQ(world.partition(1).partition_epoch, PartitionEpoch{1});
}

TEST(BrokerHeartbeat, LowerOffset_IsIgnoredCountedAndLoggedOnce) {  // KIP-631
  World world;
  world.start_broker(1);
  const Offset recorded = world.states.of({NodeId{1}, world.broker(1).epoch}).metadata_offset;
  world.pass_ms(5000);
  auto heartbeat = world.heartbeat(1);
  heartbeat.current_metadata_offset = Offset{recorded.value - 1};
  heartbeat.want_shut_down = true;
  expect_answer(world.beat(heartbeat), true, false, false);
  EXPECT_EQ(world.records, Lines{}) << "no wish acted on";
  ASSERT_EQ(world.effects.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<LogLine>(world.effects[0]));
  world.beat(heartbeat);
  EXPECT_TRUE(world.effects.empty()) << "logged once";
  const BrokerState state = world.states.of({NodeId{1}, world.broker(1).epoch});
  EXPECT_EQ(state.ignored_heartbeats, 2u);
  EXPECT_EQ(state.metadata_offset, recorded);
  EXPECT_EQ(world.pass_ms(4020), std::vector<std::int32_t>{1}) << "no renewal";
}

TEST(BrokerHeartbeat, LowerOffset_TheRecordedOneStartsAnewWithEachEpochAndActivation) {
  World world;
  world.start_broker(1);
  world.fail_over();
  auto heartbeat = world.heartbeat(1);
  heartbeat.current_metadata_offset = no_offset;
  expect_answer(world.beat(heartbeat), false, false, false);
  EXPECT_EQ(world.states.of({NodeId{1}, world.broker(1).epoch}).ignored_heartbeats, 0u);
  world.pass_ms(9020);
  world.register_broker(1, 2);
  heartbeat = world.heartbeat(1);
  heartbeat.current_metadata_offset = no_offset;
  heartbeat.want_fence = true;
  expect_answer(world.beat(heartbeat), false, true, false);
}

TEST(BrokerHeartbeat, AnOffsetAboveTheLogEndIsNeverRecorded) {
  World world;
  world.start_broker(1);
  const Offset recorded = world.states.of({NodeId{1}, world.broker(1).epoch}).metadata_offset;
  auto heartbeat = world.heartbeat(1);
  heartbeat.current_metadata_offset = Offset{world.log_end()};
  expect_answer(world.beat(heartbeat), true, false, false);
  EXPECT_EQ(world.states.of({NodeId{1}, world.broker(1).epoch}).metadata_offset, recorded);
  heartbeat.current_metadata_offset = recorded;
  expect_answer(world.beat(heartbeat), true, false, false);
  EXPECT_EQ(world.states.of({NodeId{1}, world.broker(1).epoch}).ignored_heartbeats, 0u);
}

TEST(BrokerHeartbeat, Late_IsContactAndItsOffsetIsRecorded) {  // cases.md row 2; KAFKA-15019
  World world;
  const BrokerEpoch epoch = world.register_broker(1);
  const auto heartbeat = world.heartbeat(1);
  const auto update = world.call(2, [&](const HandlerContext& context, RecordList&) {
    return note_late_heartbeat(context, world.states, heartbeat);
  });
  ASSERT_TRUE(update.has_value());
  Effects out;
  world.states.apply(*update, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<GrantLease>(out[0]));
  EXPECT_EQ(world.states.of({NodeId{1}, epoch}).metadata_offset, heartbeat.current_metadata_offset);
  EXPECT_TRUE(world.broker(1).fenced) << "no wish is acted on";
}

TEST(BrokerHeartbeat, OfflineDirs_MovePartitionsThenTellWhatIsLeft) {  // cases.md row 22; KAFKA-15364
  World world;
  auto request = world.registration(1, 1);
  request.log_dirs.push_back(world.arena, directory(31));
  world.registered(request);
  world.beat(world.heartbeat(1));
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}, .directories = {directory(31), directory(2)}});
  world.add_topic(2, {.replicas = {1, 2}, .isr = {1, 2}, .directories = {directory(1), directory(2)}});
  auto heartbeat = world.heartbeat(1);
  heartbeat.offline_log_dirs.push_back(world.arena, directory(31));
  heartbeat.offline_log_dirs.push_back(world.arena, directory(77));  // not registered: passed over
  expect_answer(world.beat(heartbeat), true, false, false);
  EXPECT_EQ(world.records,
            (Lines{"PartitionChange v2 t1 isr [2] leader 2", "BrokerRegistrationChange v2 1 dirs [1]"}));
  EXPECT_EQ(world.partition(2).leader, NodeId{1});
  heartbeat.current_metadata_offset = world.image.last_offset();
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{}) << "recorded already";
  world.fail_over();
  EXPECT_EQ(world.broker(1).log_dirs, std::vector<DirectoryId>{directory(1)});
}

TEST(BrokerHeartbeat, OfflineDirs_AllOfThemCannotBeRecorded) {
  World world;
  world.start_broker(1);
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto heartbeat = world.heartbeat(1);
  heartbeat.offline_log_dirs.push_back(world.arena, directory(1));
  world.beat(heartbeat);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2", "BrokerRegistrationChange v2 1"}));
  EXPECT_EQ(world.broker(1).log_dirs, std::vector<DirectoryId>{directory(1)});
  heartbeat.current_metadata_offset = world.image.last_offset();
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{"BrokerRegistrationChange v2 1"}) << "as Kafka, with every such heartbeat";
}

TEST(BrokerHeartbeat, OfflineDirs_WithAFenceEachPartitionChangesOnce) {
  World world;
  auto request = world.registration(1, 1);
  request.log_dirs.push_back(world.arena, directory(31));
  world.registered(request);
  world.beat(world.heartbeat(1));
  world.start_broker(2);
  world.add_topic(1, {.replicas = {1, 2}, .isr = {1, 2}});
  auto heartbeat = world.heartbeat(1);
  heartbeat.want_fence = true;
  heartbeat.offline_log_dirs.push_back(world.arena, directory(1));
  world.beat(heartbeat);
  EXPECT_EQ(world.records, (Lines{"PartitionChange v2 t1 isr [2] leader 2", fence_of(1)[0],
                                  "BrokerRegistrationChange v2 1 dirs [31]"}));
}

TEST(BrokerHeartbeat, OfflineDirs_AreNotLedFromByAnUnfencedBroker) {
  World world;
  auto request = world.registration(1, 1);
  request.log_dirs.push_back(world.arena, directory(31));
  world.registered(request);
  world.add_topic(1, {.replicas = {1}, .isr = {1}, .directories = {directory(31)}, .leader = -1});
  world.add_topic(2, {.replicas = {1}, .isr = {1}, .directories = {directory(1)}, .leader = -1});
  auto heartbeat = world.heartbeat(1);
  heartbeat.offline_log_dirs.push_back(world.arena, directory(31));
  world.beat(heartbeat);
  EXPECT_EQ(world.records, (Lines{unfence_of(1)[0], "PartitionChange v2 t2 leader 1",
                                  "BrokerRegistrationChange v2 1 dirs [1]"}));
}

TEST(BrokerHeartbeat, OfflineDirs_MeanNothingBelowLevel17) {
  World world({.metadata_version = 16});
  world.start_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.offline_log_dirs.push_back(world.arena, directory(1));
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{});
}

TEST(BrokerHeartbeat, CordonedDirs_AreStoredWhenTheyDiffer) {
  World world;
  world.start_broker(1);
  auto heartbeat = world.heartbeat(1);
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{}) << "null: the broker does not know yet";
  heartbeat.cordoned_log_dirs = {};
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{"BrokerRegistrationChange v3 1 cordoned []"}) << "a first empty list is a change";
  heartbeat.cordoned_log_dirs.push_back(world.arena, directory(1));
  heartbeat.cordoned_log_dirs.push_back(world.arena, directory(55));  // not compared with the registered ones
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{"BrokerRegistrationChange v3 1 cordoned [1 55]"});
  std::swap(heartbeat.cordoned_log_dirs[0], heartbeat.cordoned_log_dirs[1]);
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{}) << "the same set";
  EXPECT_FALSE(world.broker(1).has_uncordoned_dirs());
}

TEST(BrokerHeartbeat, CordonedDirs_MeanNothingBelowLevel30) {
  World world({.metadata_version = 29});
  world.start_broker(1);
  auto heartbeat = world.heartbeat(1);
  heartbeat.cordoned_log_dirs = {};
  world.beat(heartbeat);
  EXPECT_EQ(world.records, Lines{});
}

}  // namespace
}  // namespace hayward::core

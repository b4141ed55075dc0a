// Fencing, draining and unfencing of brokers with more partitions than one event may change: in slices, between
// which everything else is served, with nobody who is leaving elected or let into an ISR, and the record about the
// broker at the right end.
#include <gtest/gtest.h>

#include "broker_slices.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"

namespace hayward::core {
namespace {

TEST_F(BrokerSlices, PartitionChangesGoFirstAndTheFenceRecordLast) {
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  expire({1});
  EXPECT_EQ(in_isr_of(1), 10u) << "nothing is done in the event itself";
  std::string first = run_slice();
  EXPECT_EQ(changes_in(first), slice);
  EXPECT_EQ(first.find("BrokerRegistrationChange"), std::string::npos);
  EXPECT_EQ(in_isr_of(1), 6u);
  EXPECT_EQ(changes_in(run_slice()), slice);
  const std::string last = run_slice();
  EXPECT_EQ(changes_in(last), 2u);
  EXPECT_GT(last.rfind("BrokerRegistrationChange"), last.rfind("PartitionChange"));
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(in_isr_of(1), 0u);
  EXPECT_EQ(run_slice(), "");
}

TEST_F(BrokerSlices, FewPartitionsAreChangedInTheEventItself) {
  start_brokers(3);
  create_topic("t", static_cast<std::int32_t>(slice), {1, 2, 3});
  expire({1});
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(in_isr_of(1), 0u);
}

TEST_F(BrokerSlices, Row14_ALeavingBrokerIsNeitherElectedNorLetIn) {  // cases.md row 14
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  expire({1});
  run_slice();
  ASSERT_FALSE(broker(1).fenced);
  create_topic("new", 3, {1, 2, 3});
  for (std::int32_t i = 0; i < 3; ++i) {
    EXPECT_NE(partition("new", i).leader, NodeId{1});
    EXPECT_FALSE(partition("new", i).in_isr(NodeId{1}));
  }
  const Partition& changed = partition("t", 1);
  ASSERT_FALSE(changed.in_isr(NodeId{1}));
  AlterPartitionRequest request;
  request.broker_id = changed.leader;
  request.broker_epoch = broker(changed.leader.value).epoch;
  auto& topic = request.topics.push_back(arena);
  topic.topic_id = image().topics().find("t")->id;
  auto& data = topic.partitions.push_back(arena);
  data.partition_index = PartitionIndex{1};
  data.leader_epoch = changed.leader_epoch;
  data.partition_epoch = changed.partition_epoch;
  for (const std::int32_t id : {1, 2, 3}) data.new_isr_with_epochs.push_back(arena, {NodeId{id}, broker(id).epoch});
  EXPECT_EQ(machine.asked<AlterPartitionResponse>(request).topics[0].partitions[0].error_code,
            ErrorCode::ineligible_replica);
  finish();
  EXPECT_TRUE(broker(1).fenced);
}

TEST_F(BrokerSlices, Row19_HeartbeatsAreAnsweredBetweenSlices) {  // cases.md row 19
  start_brokers(3);
  create_topic("t", 20, {1, 2, 3});
  expire({1});
  run_slice();
  machine.ask(7, heartbeat(2));
  EXPECT_TRUE(machine.answered(7)) << "and without a wait for the slices' commit";
  machine.ask(8, heartbeat(1));
  const auto own = machine.answer<BrokerHeartbeatResponse>(8);
  ASSERT_TRUE(own.has_value());
  EXPECT_FALSE(own->is_fenced) << "the fence record is not written yet";
  EXPECT_FALSE(own->should_shut_down);
  EXPECT_TRUE(std::ranges::none_of(machine.effects(), [](const Effect& e) {
    return std::holds_alternative<GrantLease>(e);
  })) << "its next lease begins after the fence";
  EXPECT_EQ(enroll(1, 99).error_code, ErrorCode::duplicate_broker_registration) << "until it is fenced";
  finish();
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(enroll(1, 99).error_code, ErrorCode::none);
}

TEST_F(BrokerSlices, Row8_BrokersThatExpireMeanwhileJoinTheStep) {  // cases.md row 8
  start_brokers(3);
  create_topic("t", 12, {1, 2, 3});
  const std::size_t before = machine.disk.batches.size();
  expire({1});
  run_slice();
  expire({2});
  finish();
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_TRUE(broker(2).fenced);
  for (std::int32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(partition("t", i).leader, NodeId{3});
    EXPECT_EQ(partition("t", i).isr().size(), 1u);
  }
  bool after_both = false;
  for (std::size_t i = before + 2; i < machine.disk.batches.size(); ++i) {
    const std::string records = describe_batch(machine.disk.batches[i]->bytes);
    after_both = true;
    EXPECT_EQ(records.find("leader 1"), std::string::npos) << records;
    EXPECT_EQ(records.find("leader 2"), std::string::npos) << records;
  }
  EXPECT_TRUE(after_both);
}

TEST_F(BrokerSlices, Row32_TheSameExpiryAgainChangesNothing) {  // cases.md row 32
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  expire({1});
  finish();
  const Offset end = machine.disk.end();
  expire({1});
  finish();
  EXPECT_EQ(machine.disk.end(), end);
}

TEST_F(BrokerSlices, Row10_ADrainEndsOnceAndItsOffsetStays) {  // cases.md row 10
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  EXPECT_FALSE(ask_to_stop(1).should_shut_down);
  EXPECT_TRUE(broker(1).in_controlled_shutdown) << "from the first moment";
  run_slice();
  EXPECT_FALSE(ask_to_stop(1).should_shut_down) << "a slice is not the whole";
  finish();
  EXPECT_EQ(in_isr_of(1), 0u);
  const Offset drained{machine.disk.end().value - 1};
  create_topic("later", 1, {2, 3});
  EXPECT_FALSE(ask_to_stop(1).should_shut_down) << "the others have not read it";
  for (const std::int32_t id : {2, 3}) {
    BrokerHeartbeatRequest request = heartbeat(id);
    request.current_metadata_offset = drained;
    machine.asked<BrokerHeartbeatResponse>(request);
  }
  EXPECT_TRUE(ask_to_stop(1).should_shut_down) << "later writes do not put it off";
  EXPECT_TRUE(broker(1).fenced);
}

TEST_F(BrokerSlices, Row19_ADrainSurvivesAFailover) {  // cases.md row 19
  start_brokers(3);
  create_topic("t", 20, {1, 2, 3});
  ask_to_stop(1);
  run_slice();
  run_slice();
  machine.flush();
  run_slice();  // lost
  machine.bring_up_again();
  EXPECT_TRUE(broker(1).in_controlled_shutdown);
  EXPECT_EQ(in_isr_of(1), 12u);
  EXPECT_FALSE(ask_to_stop(1).should_shut_down);
  finish();
  EXPECT_EQ(in_isr_of(1), 0u);
  for (const std::int32_t id : {2, 3}) beat(id);
  EXPECT_TRUE(ask_to_stop(1).should_shut_down);
}

TEST_F(BrokerSlices, ADrainThatFallsSilentEndsInAFence) {
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  ask_to_stop(1);
  run_slice();
  expire({1});
  finish();
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(in_isr_of(1), 0u);
}

TEST_F(BrokerSlices, TheUnfenceRecordGoesFirstAndLeadersFollow) {
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  expire({1, 2, 3});
  finish();
  ASSERT_EQ(image().topics().leaderless().size(), 10u);
  std::size_t could_lead = in_isr_of(1);
  ASSERT_GT(could_lead, 0u);
  EXPECT_FALSE(beat(1).is_fenced);
  EXPECT_FALSE(broker(1).fenced);
  EXPECT_EQ(led_by(1), 0u);
  finish();
  EXPECT_EQ(led_by(1), could_lead);
}

TEST_F(BrokerSlices, LeadersThatAFailoverLeftUnelectedAreDerived) {
  start_brokers(3);
  create_topic("t", 30, {1, 2, 3});
  expire({1, 2, 3});
  finish();
  const std::size_t could_lead = in_isr_of(1);
  ASSERT_GT(could_lead, slice);
  beat(1);
  run_slice();
  machine.bring_up_again();
  finish();
  EXPECT_EQ(led_by(1), could_lead);
}

TEST_F(BrokerSlices, ABrokerThatIsTheLastMemberMayStopAtOnceEachTimeItAsks) {
  start_brokers(2);
  create_topic("t", 10, {1});
  EXPECT_FALSE(ask_to_stop(1).should_shut_down);
  finish();
  EXPECT_EQ(in_isr_of(1), 10u) << "C3";
  beat(2);
  EXPECT_TRUE(ask_to_stop(1).should_shut_down);
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_TRUE(ask_to_stop(1).should_shut_down);
  EXPECT_EQ(enroll(1, 99).error_code, ErrorCode::duplicate_broker_registration) << "it holds a lease";
}

TEST_F(BrokerSlices, SlicesWaitForALogThatIsFarBehind) {
  start_brokers(3);
  create_topic("t", 400, {1, 2, 3});
  expire({1});
  machine.pass_ms(0);
  EXPECT_GT(in_isr_of(1), 0u);
  EXPECT_LE(in_isr_of(1), 400u - 40 * slice);
  machine.pass_ms(0);
  EXPECT_FALSE(broker(1).fenced);
  finish();
  EXPECT_TRUE(broker(1).fenced);
}

TEST_F(BrokerSlices, AStopEndsTheWork) {
  start_brokers(3);
  create_topic("t", 10, {1, 2, 3});
  expire({1});
  machine.step(Stop{});
  finish();
  EXPECT_FALSE(broker(1).fenced) << "a stop ends the work; the next activation begins anew";
}

}  // namespace
}  // namespace hayward::core

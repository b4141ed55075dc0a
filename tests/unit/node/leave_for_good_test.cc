// Unregistration, and the registration of a broker that lost what it had not synced: both take a broker out of more
// partitions than one event may change.
#include <gtest/gtest.h>

#include "broker_slices.h"
#include "envelope.h"
#include "schemas/messages/envelope_request.h"
#include "schemas/messages/envelope_response.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"

namespace hayward::core {
namespace {

class Unregistration : public BrokerSlices {
 protected:
  Unregistration() {
    start_brokers(3);
    create_topic("t", 10, {1, 2, 3});
  }
  static UnregisterBrokerRequest unregister(std::int32_t id) {
    UnregisterBrokerRequest request;
    request.broker_id = NodeId{id};
    return request;
  }
  bool is_registered(std::int32_t id) { return image().cluster().broker(NodeId{id}) != nullptr; }
  ErrorCode answer(std::uint32_t slot) { return machine.answer<UnregisterBrokerResponse>(slot).value().error_code; }
};

TEST_F(Unregistration, TheRecordIsLastAndTheAnswerFollowsItsCommit) {
  machine.ask(7, unregister(1));
  EXPECT_EQ(in_isr_of(1), 10u);
  for (int i = 0; i < 2; ++i) {
    const std::string records = run_slice();
    EXPECT_EQ(changes_in(records), slice);
    EXPECT_EQ(records.find("UnregisterBroker"), std::string::npos);
    machine.settle();
    EXPECT_FALSE(machine.answered(7));
  }
  const std::string last = run_slice();
  EXPECT_EQ(changes_in(last), 2u);
  EXPECT_GT(last.rfind("UnregisterBroker"), last.rfind("PartitionChange"));
  EXPECT_FALSE(machine.answered(7)) << "C12: not committed";
  machine.settle();
  EXPECT_EQ(answer(7), ErrorCode::none);
  EXPECT_FALSE(is_registered(1));
  EXPECT_EQ(in_isr_of(1), 0u);
  EXPECT_EQ(machine.asked<UnregisterBrokerResponse>(unregister(1)).error_code, ErrorCode::broker_id_not_registered);
}

TEST_F(Unregistration, RequestsBetweenTheSlices) {
  machine.ask(7, unregister(1));
  run_slice();
  machine.ask(8, unregister(1));
  EXPECT_FALSE(machine.answered(8)) << "who asks again waits too";
  machine.ask(9, heartbeat(1));
  machine.settle();
  ASSERT_TRUE(machine.answered(9));
  EXPECT_TRUE(std::ranges::none_of(machine.effects(), [](const Effect& e) {
    return std::holds_alternative<GrantLease>(e);
  })) << "a broker that leaves gets no lease";
  EXPECT_EQ(enroll(1, 99).error_code, ErrorCode::duplicate_broker_registration) << "until it is out";
  create_topic("new", 3, {1, 2, 3});
  for (std::int32_t i = 0; i < 3; ++i) EXPECT_FALSE(partition("new", i).in_isr(NodeId{1}));
  finish();
  EXPECT_EQ(answer(7), ErrorCode::none);
  EXPECT_EQ(answer(8), ErrorCode::none);
  EXPECT_FALSE(is_registered(1));
  EXPECT_EQ(enroll(1, 99).error_code, ErrorCode::none);
}

TEST_F(Unregistration, ALeaseThatRunsOutMeanwhileDoesNotStopIt) {
  machine.ask(7, unregister(1));
  run_slice();
  expire({1});
  finish();
  EXPECT_FALSE(is_registered(1));
  EXPECT_EQ(answer(7), ErrorCode::none);
}

TEST_F(Unregistration, ThroughAnEnvelopeTheAnswerWaitsAsWell) {
  EnvelopeRequest request;
  const Buffer who = principal();
  const Buffer data = inner(unregister(1));
  const Buffer address(4);
  request.request_data = data;
  request.request_principal = Bytes(who);
  request.client_host_address = address;
  machine.ask(7, request);
  run_slice();
  machine.settle();
  EXPECT_FALSE(machine.answered(7));
  finish();
  EXPECT_EQ(machine.answer<EnvelopeResponse>(7).value().error_code, ErrorCode::none);
  EXPECT_FALSE(is_registered(1));
}

TEST_F(Unregistration, AfterAFailoverItIsAskedForAgain) {
  machine.ask(7, unregister(1));
  run_slice();
  machine.flush();
  run_slice();  // is lost
  machine.bring_up_again();
  EXPECT_TRUE(is_registered(1));
  EXPECT_EQ(in_isr_of(1), 6u);
  finish();
  EXPECT_TRUE(is_registered(1)) << "nobody who was answered is contradicted";
  machine.ask(8, unregister(1));
  finish();
  EXPECT_EQ(answer(8), ErrorCode::none);
  EXPECT_FALSE(is_registered(1));
}

TEST_F(Unregistration, AStopLeavesItUnanswered) {
  machine.ask(7, unregister(1));
  run_slice();
  machine.step(Stop{});
  finish();
  EXPECT_FALSE(machine.answered(7));
  EXPECT_TRUE(machine.stopped());
  EXPECT_TRUE(is_registered(1));
}

TEST_F(Unregistration, ADeadBrokerThatIsTheLastMemberOfManyIsrs) {
  expire({1, 2, 3});
  finish();
  const std::size_t last_of_1 = in_isr_of(1);
  machine.ask(7, unregister(1));
  finish();
  EXPECT_EQ(answer(7), ErrorCode::none);
  EXPECT_FALSE(is_registered(1));
  EXPECT_EQ(in_isr_of(1), last_of_1) << "C3";
}

// Kafka's features of today: an ISR may be empty, and who was in it last is in the ELR.
class UncleanRestart : public BrokerSlices {
 protected:
  UncleanRestart() : BrokerSlices({.bootstrap_features = true}) {
    start_brokers(2);
    create_topic("t", 10, {1});
    epoch = broker(1).epoch;
    expire({1});
    finish();
  }
  std::size_t in_elr_of(std::int32_t id) { return image().topics().in_elr_of(NodeId{id}).size(); }
  ErrorCode return_with(BrokerEpoch previous) {
    auto request = registration(1, 99);
    request.previous_broker_epoch = previous;
    return machine.asked<BrokerRegistrationResponse>(request).error_code;
  }
  BrokerEpoch epoch{};
};

TEST_F(UncleanRestart, Row25_ItLeavesTheElrsInSlicesAndIsRegisteredThen) {  // cases.md row 25
  ASSERT_EQ(in_elr_of(1), 10u);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::duplicate_broker_registration) << "it comes again";
  EXPECT_EQ(in_elr_of(1), 10u);
  EXPECT_EQ(changes_in(run_slice()), slice);
  EXPECT_EQ(in_elr_of(1), 6u);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::duplicate_broker_registration);
  EXPECT_EQ(changes_in(run_slice()), slice);
  EXPECT_EQ(changes_in(run_slice()), 2u);
  EXPECT_EQ(in_elr_of(1), 0u);
  EXPECT_TRUE(broker(1).fenced);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::none);
  EXPECT_GT(broker(1).epoch, epoch);
  for (std::int32_t i = 0; i < 10; ++i) EXPECT_EQ(partition("t", i).leader, no_node);
}

TEST_F(UncleanRestart, Row25_ACleanOneIsRegisteredAtOnceAndTrusted) {  // cases.md row 25
  EXPECT_EQ(return_with(epoch), ErrorCode::none);
  EXPECT_EQ(in_elr_of(1), 10u);
  beat(1);
  finish();
  EXPECT_EQ(led_by(1), 10u);
}

TEST_F(UncleanRestart, AfterAFailoverTheRegistrationBringsItAboutAgain) {
  return_with(BrokerEpoch{-1});
  run_slice();
  machine.flush();
  run_slice();  // is lost
  machine.bring_up_again();
  EXPECT_EQ(in_elr_of(1), 6u);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::duplicate_broker_registration);
  finish();
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::none);
  EXPECT_EQ(in_elr_of(1), 0u);
}

TEST_F(UncleanRestart, AnUnregisteredBrokerThatIsInManyElrs) {
  UnregisterBrokerRequest request;
  request.broker_id = NodeId{1};
  EXPECT_EQ(machine.asked<UnregisterBrokerResponse>(request).error_code, ErrorCode::none);
  ASSERT_EQ(in_elr_of(1), 10u);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::duplicate_broker_registration);
  finish();
  EXPECT_EQ(in_elr_of(1), 0u);
  EXPECT_EQ(return_with(BrokerEpoch{-1}), ErrorCode::none);
}

}  // namespace
}  // namespace hayward::core

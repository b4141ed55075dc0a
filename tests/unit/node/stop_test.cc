// An orderly stop: what is parked is answered, then the epoch is over.
#include <gtest/gtest.h>

#include "tests/node_machine/machine.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"

namespace hayward::core {
namespace {

messages::ControllerRegistrationRequest write_request() {
  messages::ControllerRegistrationRequest request;
  request.controller_id = NodeId{9};
  return request;
}

TEST(Stop, AtOnceWithNothingParked) {
  Machine machine;
  machine.bring_up();
  machine.step(core::Stop{});
  EXPECT_TRUE(machine.stopped());
  EXPECT_EQ(machine.node().view().leader, no_node);
  machine.step(Tick{});  // nothing is done any more
  EXPECT_TRUE(machine.effects().empty());
}

TEST(Stop, AfterTheParkedAnswers) {
  Machine machine;
  machine.bring_up();
  machine.ask(1, write_request());
  machine.step(core::Stop{});
  EXPECT_FALSE(machine.stopped());
  machine.ask(2, write_request());
  EXPECT_EQ(machine.answer<messages::ControllerRegistrationResponse>(2)->error_code, ErrorCode::not_controller);
  machine.flush();
  EXPECT_EQ(machine.answer<messages::ControllerRegistrationResponse>(1)->error_code, ErrorCode::none);
  EXPECT_TRUE(machine.stopped());
}

TEST(Stop, NotLaterThanItsGrace) {
  Machine machine;
  machine.bring_up();
  machine.ask(1, write_request());
  machine.step(core::Stop{});
  machine.pass_ms(4999);
  EXPECT_FALSE(machine.stopped());
  machine.pass_ms(1);
  EXPECT_TRUE(machine.stopped());
  EXPECT_FALSE(machine.answered(1));
}

TEST(Stop, WaitingFetchesAreAnswered) {
  Machine machine;
  machine.bring_up();
  Arena arena;
  messages::FetchRequest fetch;
  fetch.replica_state.replica_id = NodeId{100};
  fetch.max_wait_ms = 60'000;
  messages::FetchRequest::FetchTopic topic;
  topic.topic_id = metadata_topic_id;
  messages::FetchRequest::FetchPartition partition;
  partition.current_leader_epoch = Epoch{1};
  partition.last_fetched_epoch = Epoch{1};
  partition.fetch_offset = machine.disk.end();
  partition.high_watermark = machine.disk.end();
  topic.partitions.push_back(arena, partition);
  fetch.topics.push_back(arena, topic);
  machine.ask(1, fetch);
  ASSERT_FALSE(machine.answered(1));
  machine.step(core::Stop{});
  EXPECT_EQ(machine.answer<messages::FetchResponse>(1)->responses[0].partitions[0].error_code,
            ErrorCode::broker_not_available);
}

TEST(Stop, BeforeItHasEverLed) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.step(core::Stop{});
  EXPECT_TRUE(machine.stopped());
}

}  // namespace
}  // namespace hayward::core

// Every served API, whole, cut short and damaged: an answer or a closed connection, and the same controller as
// before.
#include <gtest/gtest.h>

#include <set>

#include "engine/core/control/served.h"
#include "engine/core/invariants.h"
#include "tests/node_machine/machine.h"
#include "samples.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"

namespace hayward::core {
namespace {

using namespace messages;

// A controller with broker 100 unfenced.
class Requests : public ::testing::Test {
 protected:
  Requests() {
    machine.bring_up();
    broker_epoch = start_broker(machine);
  }

  void expect_unharmed(const std::string& what) {
    ASSERT_EQ(machine.failure(), "") << what;
    ASSERT_TRUE(machine.node().view().active) << what;
    ASSERT_EQ(machine.node().view().epoch, Epoch{1}) << what;
  }

  std::vector<Sample> samples() { return sample_requests(broker_epoch.value, 1); }

  Machine machine;
  BrokerEpoch broker_epoch{};
};

TEST_F(Requests, EveryServedApiHasASampleAndAnswersIt) {
  std::set<std::int16_t> answered_keys;
  std::uint32_t slot = 0;
  for (const Sample& sample : samples()) {
    machine.ask_bytes(++slot, sample.api_key, sample.version, sample.body);
    machine.settle();
    machine.pass_ms(500);  // a fetch may wait
    machine.settle();
    EXPECT_TRUE(machine.answered(slot)) << sample.name << " v" << sample.version;
    EXPECT_FALSE(machine.closed(slot)) << sample.name << " v" << sample.version;
    expect_unharmed(sample.name);
    answered_keys.insert(sample.api_key);
  }
  for (const ServedApi& api : served_apis()) {
    const bool is_envelope = api.key == 58;
    EXPECT_TRUE(is_envelope || answered_keys.contains(api.key)) << api.key;
  }
}

TEST_F(Requests, CutShortTheConnectionEnds) {  // cases.md strangers
  std::uint32_t slot = 0;
  for (const Sample& sample : samples()) {
    for (std::size_t length = 0; length < sample.body.size(); ++length) {
      const Buffer cut(sample.body.begin(), sample.body.begin() + static_cast<std::ptrdiff_t>(length));
      machine.ask_bytes(++slot, sample.api_key, sample.version, cut);
      EXPECT_TRUE(machine.closed(slot)) << sample.name << " v" << sample.version << " at " << length;
      EXPECT_FALSE(machine.answered(slot));
    }
    expect_unharmed(sample.name);
  }
}

TEST_F(Requests, DamagedTheyHarmNobody) {  // cases.md row 11, strangers
  std::uint32_t slot = 0;
  for (const Sample& sample : samples()) {
    for (std::size_t at = 0; at < sample.body.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        Buffer damaged = sample.body;
        damaged[at] = static_cast<std::byte>(value);
        machine.ask_bytes(++slot, sample.api_key, sample.version, damaged);
        machine.settle();
        const bool waits = sample.api_key == 1 && !machine.answered(slot) && !machine.closed(slot);
        EXPECT_TRUE(waits || machine.answered(slot) != machine.closed(slot)) << sample.name << " at " << at;
      }
      expect_unharmed(sample.name + " v" + std::to_string(sample.version) + " byte " + std::to_string(at));
    }
  }
  EXPECT_EQ(check(machine.node().image()), std::nullopt);
  machine.bring_up_again();  // and what was written can be read
  EXPECT_TRUE(machine.node().view().active);
}

TEST_F(Requests, ApisThatAreNotServedEndTheConnection) {
  for (const std::int16_t key : {std::int16_t{0}, std::int16_t{3}, std::int16_t{-1}, std::int16_t{32767}}) {
    machine.ask_bytes(1, key, 0, {});
    EXPECT_TRUE(machine.closed(1)) << key;
  }
  machine.ask_bytes(1, BrokerHeartbeatRequest::api_key, 99, {});
  EXPECT_TRUE(machine.closed(1));
}

TEST_F(Requests, AnAnswerWaitsForItsRecords) {
  CreateTopicsRequest create;
  Arena arena;
  CreateTopicsRequest::CreatableTopic topic;
  topic.name = "t";
  topic.num_partitions = 1;
  topic.replication_factor = 1;
  create.topics.push_back(arena, topic);
  machine.ask(1, create);
  EXPECT_FALSE(machine.answered(1));
  // What has read the uncommitted topic waits as well; an error does not, nor does a settled broker.
  machine.ask(2, create);
  EXPECT_FALSE(machine.answered(2));
  BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = NodeId{100};
  heartbeat.broker_epoch = BrokerEpoch{broker_epoch.value + 7};
  machine.ask(3, heartbeat);
  EXPECT_EQ(machine.answer<BrokerHeartbeatResponse>(3)->error_code, ErrorCode::stale_broker_epoch);
  heartbeat.broker_epoch = broker_epoch;
  heartbeat.current_metadata_offset = Offset{machine.disk.end().value - 1};
  machine.ask(4, heartbeat);
  EXPECT_TRUE(machine.answered(4));
  machine.flush();
  EXPECT_EQ(machine.answer<CreateTopicsResponse>(1)->topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(machine.answer<CreateTopicsResponse>(2)->topics[0].error_code, ErrorCode::topic_already_exists);
}

TEST_F(Requests, AHeartbeatThatChangesABrokerHoldsUpTheNextOnes) {
  BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = NodeId{100};
  heartbeat.broker_epoch = broker_epoch;
  heartbeat.current_metadata_offset = Offset{machine.disk.end().value - 1};
  heartbeat.want_fence = true;
  machine.ask(1, heartbeat);
  EXPECT_FALSE(machine.answered(1));
  machine.ask(2, heartbeat);  // would tell that it is fenced, which is not committed
  EXPECT_FALSE(machine.answered(2));
  machine.flush();
  EXPECT_TRUE(machine.answer<BrokerHeartbeatResponse>(1)->is_fenced);
  EXPECT_TRUE(machine.answer<BrokerHeartbeatResponse>(2)->is_fenced);
}

TEST_F(Requests, ATimeoutOfNothingHasPassedAlready) {
  for (const std::int32_t timeout_ms : {0, -1, INT32_MIN}) {
    Arena arena;
    CreateTopicsRequest create;
    create.timeout_ms = timeout_ms;
    CreateTopicsRequest::CreatableTopic topic;
    topic.name = "late";
    topic.num_partitions = 1;
    topic.replication_factor = 1;
    create.topics.push_back(arena, topic);
    const auto response = machine.asked<CreateTopicsResponse>(create);
    EXPECT_EQ(response.topics[0].error_code, ErrorCode::request_timed_out);
  }
}

TEST_F(Requests, NotYetActive) {  // cases.md row 74
  ASSERT_TRUE(machine.restart());
  machine.start();
  BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = NodeId{100};
  heartbeat.broker_epoch = broker_epoch;
  machine.ask(1, heartbeat);
  Arena arena;
  CreateTopicsRequest create;
  create.topics.push_back(arena, {});
  machine.ask(2, create);
  machine.persist();  // R3
  EXPECT_EQ(machine.answer<BrokerHeartbeatResponse>(1)->error_code, ErrorCode::not_controller);
  EXPECT_EQ(machine.answer<CreateTopicsResponse>(2)->topics[0].error_code, ErrorCode::not_controller);
}

TEST_F(Requests, ExpiredLeasesAreFencedOnceForTheirEpoch) {
  const std::size_t before = machine.disk.batches.size();
  const BrokerIncarnation expired{NodeId{100}, broker_epoch};
  machine.step(LeasesExpired{Epoch{0}, {expired}});  // of another epoch
  EXPECT_EQ(machine.disk.batches.size(), before);
  machine.step(LeasesExpired{Epoch{1}, {expired}});
  ASSERT_EQ(machine.disk.batches.size(), before + 1);
  EXPECT_EQ(describe_batch(machine.disk.batches.back()->bytes), "BrokerRegistrationChange v0 100 fenced 1 shutdown 0");
  machine.step(LeasesExpired{Epoch{1}, {expired}});
  EXPECT_EQ(machine.disk.batches.size(), before + 1);
}

}  // namespace
}  // namespace hayward::core

// Envelope: every outcome of apis.md section 3.
#include <gtest/gtest.h>

#include "engine/core/control/answer.h"
#include "envelope.h"
#include "tests/node_machine/machine.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/envelope_request.h"
#include "schemas/messages/envelope_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"

namespace hayward::core {
namespace {

using namespace messages;

class Envelope : public ::testing::Test {
 protected:
  Envelope() { machine.bring_up(); }

  EnvelopeResponse asked(const Buffer& request_data, const std::optional<Buffer>& who = principal(),
                         const Buffer& address = Buffer(4)) {
    EnvelopeRequest request;
    request.request_data = request_data;
    if (who) request.request_principal = Bytes(*who);
    request.client_host_address = address;
    return machine.asked<EnvelopeResponse>(request);
  }
  void expect_refused(const EnvelopeResponse& response, ErrorCode error) {
    EXPECT_EQ(response.error_code, error);
    EXPECT_FALSE(response.response_data.has_value());
  }

  Machine machine;
};

TEST_F(Envelope, CarriesTheInnerAnswer) {
  UnregisterBrokerRequest request;
  request.broker_id = NodeId{5};
  const EnvelopeResponse response = asked(inner(request));
  EXPECT_EQ(response.error_code, ErrorCode::none);
  ASSERT_TRUE(response.response_data.has_value());
  Reader reader(*response.response_data);
  EXPECT_EQ(reader.read_i32(), 4711);
  reader.read_uvarint();
  Arena arena;
  UnregisterBrokerResponse answer;
  ASSERT_TRUE(decode(reader, 0, arena, answer));
  EXPECT_EQ(answer.error_code, ErrorCode::broker_id_not_registered);  // inner errors stay inside
}

TEST_F(Envelope, WaitsForTheCommitOfTheInnerRecords) {
  Arena arena;
  CreateTopicsRequest create;
  create.topics.push_back(arena, {});
  EnvelopeRequest request;
  const Buffer data = inner(create);
  const Buffer who = principal();
  const Buffer address(16);
  request.request_data = data;
  request.request_principal = Bytes(who);
  request.client_host_address = address;
  machine.pass_ms(500);  // a no-op that is not committed
  machine.ask(1, request);
  EXPECT_FALSE(machine.answered(1));
  machine.flush();
  EXPECT_TRUE(machine.answered(1));
}

TEST_F(Envelope, Principal) {
  const Buffer data = inner(UnregisterBrokerRequest{});
  expect_refused(asked(data, std::nullopt), ErrorCode::principal_deserialization_failure);
  expect_refused(asked(data, Buffer{}), ErrorCode::principal_deserialization_failure);
  expect_refused(asked(data, principal(1)), ErrorCode::principal_deserialization_failure);
  const Buffer whole = principal();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    expect_refused(asked(data, cut), ErrorCode::principal_deserialization_failure);
  }
}

TEST_F(Envelope, Address) {
  const Buffer data = inner(UnregisterBrokerRequest{});
  for (const std::size_t size : {0, 3, 5, 15, 17})
    expect_refused(asked(data, principal(), Buffer(size)), ErrorCode::invalid_request);
}

TEST_F(Envelope, InnerRequestThatCannotBeRead) {
  const Buffer whole = inner(UnregisterBrokerRequest{});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    expect_refused(asked(cut), ErrorCode::unsupported_version);
  }
  expect_refused(asked(inner(UnregisterBrokerRequest{}, 0, 999)), ErrorCode::unsupported_version);  // no such API
  expect_refused(asked(inner(UnregisterBrokerRequest{}, 9)), ErrorCode::unsupported_version);
}

TEST_F(Envelope, OnlyForwardableApis) {
  expect_refused(asked(inner(FetchRequest{})), ErrorCode::invalid_request);
  expect_refused(asked(inner(EnvelopeRequest{})), ErrorCode::invalid_request);
  expect_refused(asked(inner(UnregisterBrokerRequest{}, 0, 3)), ErrorCode::invalid_request);  // Kafka's, not ours
}

TEST_F(Envelope, NotTheController) {  // cases.md row 47
  ASSERT_TRUE(machine.restart());
  machine.start();
  const auto at_once = [&](const Buffer& data) {
    EnvelopeRequest request;
    const Buffer who = principal();
    const Buffer address(4);
    request.request_data = data;
    request.request_principal = Bytes(who);
    request.client_host_address = address;
    machine.ask(1, request);
    machine.persist();  // R3: before that nothing is said
    return machine.answer<EnvelopeResponse>(1).value();
  };
  expect_refused(at_once(inner(UnregisterBrokerRequest{})), ErrorCode::not_controller);
  Arena arena;
  DescribeQuorumRequest describe;
  DescribeQuorumRequest::TopicData topic;
  topic.topic_name = "__cluster_metadata";
  topic.partitions.push_back(arena, {});
  describe.topics.push_back(arena, topic);
  expect_refused(at_once(inner(describe)), ErrorCode::not_controller);
}

}  // namespace
}  // namespace hayward::core

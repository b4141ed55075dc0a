// ApiVersions: what is offered, and which feature levels are told of, and when (case 76, P12).
#include <gtest/gtest.h>

#include "engine/core/control/served.h"
#include "tests/node_machine/machine.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/update_features_request.h"
#include "schemas/messages/update_features_response.h"

namespace hayward::core {
namespace {

using messages::ApiVersionsRequest;
using messages::ApiVersionsResponse;
using messages::UpdateFeaturesRequest;
using messages::UpdateFeaturesResponse;

ApiVersionsRequest request() {
  ApiVersionsRequest request;
  request.client_software_name = "apache-kafka-java";
  request.client_software_version = "4.3.1";
  return request;
}

ApiVersionsResponse features_of(Machine& machine, std::int16_t version = 4) {
  machine.ask(1, request(), version);
  return machine.answer<ApiVersionsResponse>(1).value();
}

std::int16_t level(const ApiVersionsResponse& response, std::string_view name) {
  for (const auto& feature : response.finalized_features) {
    if (feature.name == name) return feature.max_version_level;
  }
  return 0;
}

UpdateFeaturesRequest raise(Arena& arena, std::string_view name, std::int16_t to) {
  UpdateFeaturesRequest update;
  UpdateFeaturesRequest::FeatureUpdateKey key;
  key.feature = name;
  key.max_version_level = to;
  key.upgrade_type = 1;
  update.feature_updates.push_back(arena, key);
  return update;
}

TEST(Features, AsKafkaOffersThem) {
  Machine machine({.bootstrap_features = true});
  machine.bring_up();
  const auto response = features_of(machine);
  EXPECT_EQ(response.finalized_features_epoch, machine.disk.end().value - 1);
  EXPECT_EQ(level(response, "metadata.version"), 30);
  EXPECT_EQ(level(response, "transaction.version"), 2);
  EXPECT_EQ(level(response, "kraft.version"), 1);
  EXPECT_EQ(response.supported_features.size(), 7u);
  EXPECT_FALSE(response.zk_migration_ready);
  std::size_t advertised = 0;
  for (const ServedApi& api : served_apis()) advertised += api.advertised ? 1 : 0;
  EXPECT_EQ(response.api_keys.size(), advertised);
  for (const auto& api : response.api_keys) EXPECT_LT(api.api_key, 1000);
}

TEST(Features, BelowVersion4NoRangeBeginsAtZero) {  // cases.md row 50
  Machine machine;
  machine.bring_up();
  const auto response = features_of(machine, 3);
  ASSERT_EQ(response.supported_features.size(), 1u);
  EXPECT_EQ(response.supported_features[0].name, "metadata.version");
}

TEST(Features, NothingIsToldBeforeItIsKnown) {  // cases.md row 76
  Machine machine;
  machine.bring_up();
  ASSERT_TRUE(machine.restart());
  machine.start();
  // What is asked while quorum-state is not durable is answered once it is (R3).
  const auto expect_unknown = [&](bool durable) {
    machine.ask(1, request(), 3);
    if (!durable) machine.persist();
    const auto response = machine.answer<ApiVersionsResponse>(1).value();
    EXPECT_EQ(response.error_code, ErrorCode::none);
    EXPECT_EQ(response.finalized_features_epoch, -1);
    EXPECT_TRUE(response.finalized_features.empty());
  };
  expect_unknown(false);
  expect_unknown(false);
  expect_unknown(true);
  machine.flush();
  EXPECT_EQ(level(features_of(machine), "metadata.version"), 30);
}

TEST(Features, AnUncommittedLevelIsNotTold) {  // cases.md row 76
  Machine machine({.metadata_version = 29});
  machine.bring_up();
  Arena arena;
  machine.ask(2, raise(arena, "metadata.version", 30));
  EXPECT_FALSE(machine.answered(2));
  const auto before = features_of(machine);
  EXPECT_EQ(level(before, "metadata.version"), 29);
  machine.flush();
  const auto after = features_of(machine);
  EXPECT_EQ(level(after, "metadata.version"), 30);
  EXPECT_GT(after.finalized_features_epoch, before.finalized_features_epoch);
  EXPECT_EQ(machine.answer<UpdateFeaturesResponse>(2)->error_code, ErrorCode::none);
}

TEST(Features, StaticVotersMoveIntoTheLogWithKraftVersion1) {  // cases.md row 70
  Machine machine({.format = Format::static_voters});
  machine.bring_up();
  Arena arena;
  const std::size_t before = machine.disk.batches.size();
  machine.ask(2, raise(arena, "kraft.version", 1));
  ASSERT_EQ(machine.disk.batches.size(), before + 2);
  EXPECT_EQ(describe_batch(machine.disk.batches[before]->bytes), "KRaftVersion 1; Voters 1@CONTROLLER://host-1:9093");
  EXPECT_EQ(describe_batch(machine.disk.batches[before + 1]->bytes), "NoOp v0");
  EXPECT_EQ(level(features_of(machine), "kraft.version"), 0);
  machine.flush();
  EXPECT_EQ(level(features_of(machine), "kraft.version"), 1);
  machine.bring_up_again();
  EXPECT_EQ(machine.disk.quorum_state->kraft_version, 1);
  EXPECT_EQ(level(features_of(machine), "kraft.version"), 1);
}

TEST(Features, ControllerRegistersItselfOnceItsVersionAllows) {
  Machine machine({.metadata_version = 14});
  machine.bring_up();
  Arena arena;
  machine.asked<UpdateFeaturesResponse>(raise(arena, "metadata.version", 15));
  machine.pass_ms(500);
  EXPECT_EQ(describe_batch(machine.disk.batches.back()->bytes),
            "RegisterController v0 1 endpoints 1 features 7; NoOp v0");
}

// cases.md row 88: nobody can unregister a controller; one that is no voter and has not fetched for a while is gone.
TEST(Features, Row88_AControllerThatIsGoneIsNotAsked) {
  for (const bool fetches : {false, true}) {
    Machine machine;
    machine.bring_up();
    Arena arena;
    messages::ControllerRegistrationRequest ghost;
    ghost.controller_id = NodeId{7};
    ghost.listeners.push_back(arena, {"CONTROLLER", "host-7", 9093, 0});
    ghost.features.push_back(arena, {"group.version", 0, 0});
    EXPECT_EQ(machine.asked<messages::ControllerRegistrationResponse>(ghost).error_code, ErrorCode::none);
    messages::FetchRequest fetch;
    fetch.replica_state.replica_id = NodeId{7};
    auto& topic = fetch.topics.push_back(arena);
    topic.topic_id = metadata_topic_id;
    auto& partition = topic.partitions.push_back(arena);
    partition.fetch_offset = machine.disk.end();
    partition.current_leader_epoch = partition.last_fetched_epoch = machine.node().view().epoch;
    if (fetches) machine.ask(3, fetch);
    const auto update = raise(arena, "group.version", 1);
    EXPECT_EQ(machine.asked<UpdateFeaturesResponse>(update).error_code,
              fetches ? ErrorCode::invalid_update_version : ErrorCode::none);
    machine.pass_ms(300'000);
    EXPECT_EQ(machine.asked<UpdateFeaturesResponse>(update).error_code, ErrorCode::none) << "silent for five minutes";
  }
}

TEST(ApiVersions, UnknownVersionsAreAnsweredInVersion0) {
  Machine machine;
  machine.bring_up();
  machine.ask_bytes(1, 18, 99, {});
  ASSERT_TRUE(machine.answered(1));
  Reader reader(machine.find_answer(1)->bytes);
  reader.read_i32();
  ApiVersionsResponse response;
  Arena arena;
  ASSERT_TRUE(decode(reader, 0, arena, response));
  EXPECT_EQ(response.error_code, ErrorCode::unsupported_version);
  ASSERT_EQ(response.api_keys.size(), 1u);
  EXPECT_EQ(response.api_keys[0].api_key, 18);
  EXPECT_EQ(response.api_keys[0].max_version, 4);
}

TEST(ApiVersions, ClientSoftware) {
  Machine machine;
  machine.bring_up();
  for (const char* bad : {"", "-a", "a-", ".", "a b", "a_b", "\xc3\xa4"}) {
    ApiVersionsRequest asked = request();
    asked.client_software_name = bad;
    machine.ask(1, asked);
    EXPECT_EQ(machine.answer<ApiVersionsResponse>(1)->error_code, ErrorCode::invalid_request) << bad;
    machine.ask(1, asked, 2);  // has no such field
    EXPECT_EQ(machine.answer<ApiVersionsResponse>(1)->error_code, ErrorCode::none);
  }
}

}  // namespace
}  // namespace hayward::core

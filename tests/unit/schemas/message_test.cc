// Generated codecs on chosen messages: bytes by hand, versions, null, tagged fields, what a version lacks.
#include <gtest/gtest.h>

#include "schemas/messages/api_keys.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/hayward_status_response.h"
#include "schemas/messages/request_header.h"
#include "schemas/messages/vote_response.h"
#include "schemas/records/partition_change_record.h"
#include "tests/unit/schemas/bytes.h"

namespace hayward {
namespace {

template <class Message>
Buffer bytes_of(const Message& message, std::int16_t version) {
  Buffer bytes(encoded_size(message, version));
  Writer writer{MutableBytes(bytes)};
  encode(writer, message, version);
  EXPECT_EQ(writer.room(), 0u);
  return bytes;
}

// Decodes from a block of the exact size, and again from a copy in the arena that outlives the call.
template <class Message>
bool read(Bytes bytes, std::int16_t version, Arena& arena, Message& message, std::size_t left_over = 0) {
  const ExactBytes exact(bytes);
  Reader exact_reader(exact);
  Message from_exact;
  const bool ok = decode(exact_reader, version, arena, from_exact);
  Reader reader(as_bytes(arena.copy(as_text(bytes))));
  EXPECT_EQ(decode(reader, version, arena, message), ok);
  if (ok) {
    EXPECT_EQ(reader.remaining(), left_over);
  }
  return ok;
}

TEST(Message, CreateTopicsBytesByHand) {
  Arena arena;
  messages::CreateTopicsRequest request;
  auto& topic = request.topics.push_back(arena);
  topic.name = "foo";
  topic.num_partitions = 3;
  topic.replication_factor = 2;
  topic.configs.push_back(arena, {.name = "k", .value = std::nullopt});
  request.timeout_ms = 1000;
  EXPECT_EQ(bytes_of(request, 2),
            from_hex("00000001 0003 666f6f 00000003 0002 00000000 00000001 0001 6b ffff 000003e8 00"));
  EXPECT_EQ(bytes_of(request, 5), from_hex("02 04 666f6f 00000003 0002 01 02 02 6b 00 00 00 000003e8 00 00"));
}

TEST(Message, HeaderKeepsTheClassicClientId) {
  messages::RequestHeader header;
  header.request_api_key = 63;
  header.correlation_id = 7;
  header.client_id = "ab";
  EXPECT_EQ(bytes_of(header, 2), from_hex("003f 0000 00000007 0002 6162 00"));
  header.client_id = std::nullopt;
  EXPECT_EQ(bytes_of(header, 1), from_hex("003f 0000 00000007 ffff"));
}

TEST(Message, DefaultsAreTheSchemas) {
  const messages::FetchRequest request;
  EXPECT_EQ(request.max_bytes, 0x7fffffff);
  EXPECT_EQ(request.replica_id, NodeId{-1});
  EXPECT_EQ(messages::FetchRequest::FetchPartition{}.high_watermark, Offset{9223372036854775807});
  EXPECT_TRUE(records::PartitionChangeRecord{}.isr.is_null());
  EXPECT_EQ(records::PartitionChangeRecord{}.leader, NodeId{-2});
  EXPECT_EQ(messages::BrokerRegistrationRequest{}.previous_broker_epoch, BrokerEpoch{-1});
}

TEST(Message, DecodeForgetsWhatWasThere) {
  Arena arena;
  messages::CreateTopicsRequest request;
  request.validate_only = true;
  request.topics.push_back(arena);
  ASSERT_TRUE(read(from_hex("01 000003e8 00 00"), 5, arena, request));
  EXPECT_TRUE(request.topics.empty());
  EXPECT_FALSE(request.validate_only);
}

TEST(Message, VersionsOutsideTheTableAreRefused) {
  Arena arena;
  messages::CreateTopicsRequest request;
  const Buffer bytes = from_hex("01 000003e8 00 00");
  for (const int version : {-1, 0, 1, 8, 32767}) {
    EXPECT_FALSE(read(bytes, static_cast<std::int16_t>(version), arena, request)) << version;
  }
}

TEST(Message, BytesAfterTheMessageAreLeft) {
  Arena arena;
  messages::CreateTopicsRequest request;
  EXPECT_TRUE(read(from_hex("01 000003e8 00 00 aabb"), 5, arena, request, 2));
}

TEST(Message, UnknownTaggedFieldsAreSkipped) {
  Arena arena;
  messages::VoteResponse plain, tagged;
  ASSERT_TRUE(read(from_hex("0000 01 00"), 0, arena, plain));
  ASSERT_TRUE(read(from_hex("0000 01 02 05 03 010203 90 4e 00"), 0, arena, tagged));
  EXPECT_EQ(plain, tagged);
  EXPECT_FALSE(read(from_hex("0000 01 01 05 04 010203"), 0, arena, tagged)) << "size past the end";
}

TEST(Message, TaggedFieldsInAnyOrderAndTheLastWins) {
  Arena arena;
  records::PartitionChangeRecord record;
  const std::string start = "00000003" + std::string(32, '0');
  // leader = 1, isr = [9], isr = [1, 2]
  ASSERT_TRUE(
      read(from_hex(start + "03 01 04 00000001 00 05 02 00000009 00 09 03 00000001 00000002"), 0, arena, record));
  EXPECT_EQ(record.leader, NodeId{1});
  ASSERT_EQ(record.isr.size(), 2u);
  EXPECT_EQ(record.isr[1], NodeId{2});
}

TEST(Message, ATaggedFieldMustFillItsSize) {
  Arena arena;
  records::PartitionChangeRecord record;
  const std::string start = "00000003" + std::string(32, '0');
  EXPECT_FALSE(read(from_hex(start + "01 01 05 00000001 00"), 0, arena, record));
  EXPECT_FALSE(read(from_hex(start + "01 01 03 00000001"), 0, arena, record));
}

TEST(Message, ATagOfALaterVersionIsRefused) {
  Arena arena;
  records::PartitionChangeRecord record;
  const Buffer bytes = from_hex("00000003" + std::string(32, '0') + "01 06 01 01");  // EligibleLeaderReplicas = []
  EXPECT_TRUE(read(bytes, 2, arena, record));
  EXPECT_FALSE(record.eligible_leader_replicas.is_null());
  EXPECT_FALSE(read(bytes, 1, arena, record));
}

TEST(Message, NullAndEmptyArraysDiffer) {
  Arena arena;
  records::PartitionChangeRecord record, again;
  record.isr = {};
  const Buffer bytes = bytes_of(record, 0);
  ASSERT_TRUE(read(bytes, 0, arena, again));
  EXPECT_FALSE(again.isr.is_null());
  EXPECT_TRUE(again.replicas.is_null());
  EXPECT_EQ(record, again);
  EXPECT_NE(record, records::PartitionChangeRecord{});
}

TEST(Message, NullWhereNoneIsAllowed) {
  Arena arena;
  messages::CreateTopicsRequest request;
  EXPECT_FALSE(read(from_hex("00 000003e8 00 00"), 5, arena, request));
  EXPECT_FALSE(read(from_hex("ffffffff 000003e8 00"), 2, arena, request));
}

TEST(Message, AHostileCountTakesNoMemory) {  // cases.md strangers
  Arena arena;
  messages::CreateTopicsRequest request;
  for (const auto& [version, hex] :
       {std::pair<std::int16_t, const char*>{2, "7fffffff 0000 0000 0000"}, {5, "ffffffff0f 0000 0000"}}) {
    const ExactBytes bytes(from_hex(hex));
    Reader reader(bytes);
    EXPECT_FALSE(decode(reader, version, arena, request));
  }
  EXPECT_EQ(arena.bytes_used(), 0u);
}

TEST(Message, RepresentableMinds) {
  Arena arena;
  messages::BrokerRegistrationRequest request;
  EXPECT_TRUE(representable(request, 0));
  EXPECT_FALSE(representable(request, 5)) << "no such version";
  request.previous_broker_epoch = BrokerEpoch{4};  // version 3 and later; ignorable
  EXPECT_TRUE(representable(request, 0));
  messages::FetchRequest fetch;
  fetch.replica_id = NodeId{5};  // up to version 14
  EXPECT_TRUE(representable(fetch, 14));
  EXPECT_FALSE(representable(fetch, 15));
  fetch.replica_id = NodeId{-1};
  auto& partition = fetch.topics.push_back(arena).partitions.push_back(arena);
  EXPECT_TRUE(representable(fetch, 11));
  partition.last_fetched_epoch = Epoch{2};  // version 12 and later
  EXPECT_FALSE(representable(fetch, 11));
  EXPECT_TRUE(representable(fetch, 12));
}

TEST(Message, StatusRoundTrip) {
  Arena arena;
  messages::HaywardStatusResponse status, again;
  status.cluster_id = "abc";
  status.node_id = NodeId{3000};
  status.brokers.push_back(arena,
                           {.id = NodeId{1}, .epoch = BrokerEpoch{9}, .fenced = true, .host = "h", .port = 65535});
  status.observers.push_back(arena, {.id = NodeId{1}, .log_end_offset = Offset{4}, .last_fetch_age_ms = 5});
  ASSERT_TRUE(read(bytes_of(status, 0), 0, arena, again));
  EXPECT_EQ(status, again);
  EXPECT_EQ(again.brokers[0].lease_age_ms, -1);
  EXPECT_EQ(again.brokers[0].rack, std::nullopt);
}

TEST(ApiKeys, LookUp) {
  const messages::ApiInfo* const heartbeat = messages::find_api(63);
  ASSERT_NE(heartbeat, nullptr);
  EXPECT_EQ(heartbeat->name, "BrokerHeartbeat");
  EXPECT_TRUE(heartbeat->serves(2));
  EXPECT_FALSE(heartbeat->serves(3));
  EXPECT_FALSE(heartbeat->serves(-1));
  EXPECT_EQ(messages::find_api(3), nullptr) << "Metadata is not served";
  EXPECT_EQ(messages::find_api(-1), nullptr);
  EXPECT_EQ(messages::find_api(18)->response_header_version(4), 0);
  EXPECT_EQ(messages::find_api(18)->request_header_version(4), 2);
}

}  // namespace
}  // namespace hayward

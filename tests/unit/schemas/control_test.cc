// Control records: round trips through a batch, and what is refused.
#include "schemas/batch/control.h"

#include <gtest/gtest.h>

#include "tests/unit/schemas/bytes.h"

namespace hayward {
namespace {

TEST(Control, RoundTripThroughABatch) {
  Arena arena;
  BatchBuilder builder(Offset{10}, Epoch{2}, 99, BatchKind::control);
  records::LeaderChangeMessage leader;
  leader.version = 1;  // is written as 0 all the same
  leader.leader_id = NodeId{3000};
  leader.voters.push_back(arena, {.voter_id = NodeId{3000}, .voter_directory_id = DirectoryId{Uuid{1, 2}}});
  add_control(builder, leader);
  records::KRaftVersionRecord version;
  version.kraft_version = 1;
  add_control(builder, version);
  records::VotersRecord voters;
  voters.voters.push_back(arena, {.voter_id = NodeId{3000}, .voter_directory_id = DirectoryId{Uuid{1, 2}}});
  add_control(builder, voters);
  records::SnapshotHeaderRecord header;
  header.last_contained_log_timestamp = 5;
  add_control(builder, header);
  add_control(builder, records::SnapshotFooterRecord{});
  const Buffer bytes = builder.finish();
  const auto parsed = check_batch(bytes);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->is_control());

  RecordIterator records(*parsed, bytes);
  const auto next = [&] {
    const auto record = records.next();
    EXPECT_TRUE(record);
    const auto decoded = decode_control(*record, arena);
    EXPECT_TRUE(decoded);
    return decoded.value_or(ControlRecord{});
  };
  const ControlRecord first = next();
  ASSERT_TRUE(std::holds_alternative<records::LeaderChangeMessage>(first));
  EXPECT_EQ(std::get<records::LeaderChangeMessage>(first).version, 0);
  EXPECT_EQ(std::get<records::LeaderChangeMessage>(first).voters[0].voter_id, NodeId{3000});
  EXPECT_TRUE(std::get<records::LeaderChangeMessage>(first).voters[0].voter_directory_id.is_zero());
  EXPECT_EQ(std::get<records::KRaftVersionRecord>(next()).kraft_version, 1);
  EXPECT_EQ(std::get<records::VotersRecord>(next()), voters);
  EXPECT_EQ(std::get<records::SnapshotHeaderRecord>(next()), header);
  EXPECT_TRUE(std::holds_alternative<records::SnapshotFooterRecord>(next()));
  EXPECT_FALSE(records.next());
  EXPECT_FALSE(records.error());
}

BatchError error_of(std::optional<std::string_view> key, std::optional<std::string_view> value) {
  const ExactBytes key_bytes(from_hex(key.value_or("")));
  const ExactBytes value_bytes(from_hex(value.value_or("")));
  BatchRecord record;
  if (key) record.key = Bytes(key_bytes);
  if (value) record.value = Bytes(value_bytes);
  Arena arena;
  const auto decoded = decode_control(record, arena);
  EXPECT_FALSE(decoded);
  return decoded ? BatchError{} : decoded.error();
}

TEST(Control, WhatIsRefused) {
  EXPECT_EQ(error_of(std::nullopt, "0000"), BatchError::control_key);
  EXPECT_EQ(error_of("", "0000"), BatchError::control_key);
  EXPECT_EQ(error_of("0000 00", "0000"), BatchError::control_key);
  EXPECT_EQ(error_of("ffff 0002", "0000"), BatchError::control_key);
  EXPECT_EQ(error_of("0000 0000", "0000"), BatchError::control_type) << "abort is not of this log";
  EXPECT_EQ(error_of("0000 0007", "0000"), BatchError::control_type);
  EXPECT_EQ(error_of("0000 ffff", "0000"), BatchError::control_type);
  EXPECT_EQ(error_of("0000 0004", std::nullopt), BatchError::control_value);
  EXPECT_EQ(error_of("0000 0004", ""), BatchError::control_value);
  EXPECT_EQ(error_of("0000 0005", "0000 00"), BatchError::control_value);
}

TEST(Control, ALaterKeyOrValueVersionIsReadAsTheLatestKnown) {
  const ExactBytes key(from_hex("0009 0005 ff"));
  const ExactBytes value(from_hex("0003 0001 00 77"));
  Arena arena;
  const auto decoded = decode_control({.offset = {}, .key = Bytes(key), .value = Bytes(value)}, arena);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<records::KRaftVersionRecord>(*decoded).kraft_version, 1);
}

TEST(Control, LeaderChangeVersionOneHasDirectoryIds) {
  const ExactBytes key(from_hex("0000 0002"));
  const ExactBytes value(from_hex("0001 00000bb8 02 00000bb8 00000000000000010000000000000002 00 01 00"));
  Arena arena;
  const auto decoded = decode_control({.offset = {}, .key = Bytes(key), .value = Bytes(value)}, arena);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<records::LeaderChangeMessage>(*decoded).voters[0].voter_directory_id, (DirectoryId{Uuid{1, 2}}));
}

}  // namespace
}  // namespace hayward

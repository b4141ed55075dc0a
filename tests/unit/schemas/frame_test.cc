// The frame around a metadata record.
#include "schemas/records/frame.h"

#include <gtest/gtest.h>

#include "schemas/records/feature_level_record.h"
#include "schemas/records/partition_change_record.h"
#include "tests/unit/schemas/bytes.h"

namespace hayward::records {
namespace {

TEST(Frame, BytesByHand) {
  FeatureLevelRecord record;
  record.name = "ab";
  record.feature_level = 30;
  Buffer bytes;
  append_frame(bytes, record, 0);
  EXPECT_EQ(bytes, from_hex("01 0c 00 03 6162 001e 00"));
  const auto frame = parse_frame(bytes);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, RecordType::feature_level);
  EXPECT_EQ(frame->version, 0);
  Arena arena;
  EXPECT_EQ(decode_body<FeatureLevelRecord>(*frame, arena), record);
}

TEST(Frame, AppendsAfterWhatIsThere) {
  Buffer bytes = from_hex("aa");
  append_frame(bytes, PartitionChangeRecord{}, 2);
  EXPECT_EQ(bytes[0], std::byte{0xaa});
  const auto frame = parse_frame(Bytes(bytes).subspan(1));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->version, 2);
}

FrameError error_of(std::string_view hex) {
  const ExactBytes bytes(from_hex(hex));
  const auto frame = parse_frame(bytes);
  if (!frame) return frame.error();
  Arena arena;
  const auto record = decode_body<FeatureLevelRecord>(*frame, arena);
  EXPECT_FALSE(record);
  return record ? FrameError{} : record.error();
}

TEST(Frame, EachFaultHasItsName) {
  EXPECT_EQ(error_of(""), FrameError::truncated);
  EXPECT_EQ(error_of("01"), FrameError::truncated);
  EXPECT_EQ(error_of("01 0c"), FrameError::truncated);
  EXPECT_EQ(error_of("01 8c"), FrameError::truncated);
  EXPECT_EQ(error_of("00 0c 00"), FrameError::other_frame);
  EXPECT_EQ(error_of("02 0c 00"), FrameError::other_frame);
  EXPECT_EQ(error_of("01 06 00"), FrameError::unknown_type);
  EXPECT_EQ(error_of("01 ffffffff0f 00"), FrameError::unknown_type);
  EXPECT_EQ(error_of("01 0c 01"), FrameError::unknown_version);
  EXPECT_EQ(error_of("01 0c 8080 04"), FrameError::unknown_version) << "65536 must not wrap to 0";
  EXPECT_EQ(error_of("01 0c 00 03 61"), FrameError::malformed_body);
  EXPECT_EQ(error_of("01 0c 00 03 6162 001e 00 00"), FrameError::trailing_bytes);
  for (int error = 0; error <= static_cast<int>(FrameError::trailing_bytes); ++error) {
    EXPECT_NE(name(static_cast<FrameError>(error)), "unknown frame error");
  }
}

TEST(Frame, RecordTypes) {
  EXPECT_EQ(std::size(record_types), 26u);
  EXPECT_EQ(find_record_type(17)->max_version, 3);
  EXPECT_EQ(find_record_type(6), nullptr);
}

}  // namespace
}  // namespace hayward::records

// The primitive readers and writers at their edges.
#include "schemas/runtime/reader.h"

#include <gtest/gtest.h>

#include <limits>

#include "schemas/runtime/writer.h"
#include "tests/unit/schemas/bytes.h"

namespace hayward {
namespace {

TEST(Reader, ReadsNothingFromNothing) {
  Reader r(Bytes{});
  EXPECT_EQ(r.read_i64(), 0);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.remaining(), 0u);
}

TEST(Reader, AFaultIsRemembered) {
  const ExactBytes bytes(from_hex("00 01 02 03"));
  Reader r(bytes);
  EXPECT_EQ(r.read_i64(), 0);
  EXPECT_EQ(r.read_i8(), 0) << "four bytes were left, but the reader has failed";
  EXPECT_FALSE(r.ok());
}

TEST(Reader, Uvarint) {
  for (const std::uint32_t value : {0u, 1u, 127u, 128u, 16383u, 16384u, 0x7fffffffu, 0xffffffffu}) {
    Buffer bytes(uvarint_size(value));
    Writer writer{MutableBytes(bytes)};
    writer.write_uvarint(value);
    EXPECT_EQ(writer.room(), 0u);
    Reader r(bytes);
    EXPECT_EQ(r.read_uvarint(), value);
    EXPECT_TRUE(r.ok());
  }
  const ExactBytes too_long_bytes(from_hex("80 80 80 80 80 01"));
  Reader too_long(too_long_bytes);
  too_long.read_uvarint();
  EXPECT_FALSE(too_long.ok());
  const ExactBytes cut(from_hex("80 80"));
  Reader r(cut);
  r.read_uvarint();
  EXPECT_FALSE(r.ok());
}

TEST(Reader, ZigZag) {
  const auto least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{-65}, least, ~least}) {
    Buffer bytes(10);
    Writer writer{MutableBytes(bytes)};
    writer.write_varlong(value);
    Reader r(bytes);
    EXPECT_EQ(r.read_varlong(), value);
  }
  const ExactBytes minus_one_bytes(from_hex("01"));
  Reader minus_one(minus_one_bytes);
  EXPECT_EQ(minus_one.read_varint(), -1);
}

TEST(Reader, StringLengths) {
  EXPECT_EQ(Reader(from_hex("ffff")).read_nullable_string(false), std::nullopt);
  const ExactBytes null_refused_bytes(from_hex("ffff"));
  Reader null_refused(null_refused_bytes);
  null_refused.read_string(false);
  EXPECT_FALSE(null_refused.ok());
  const ExactBytes below_null_bytes(from_hex("fffe"));
  Reader below_null(below_null_bytes);
  below_null.read_nullable_string(false);
  EXPECT_FALSE(below_null.ok());
  const ExactBytes cut(from_hex("0003 6162"));
  Reader past_the_end(cut);
  past_the_end.read_string(false);
  EXPECT_FALSE(past_the_end.ok());
  Buffer long_text(3 + 32768);
  Writer writer{MutableBytes(long_text)};
  writer.write_uvarint(32768 + 1);
  Reader too_long(long_text);
  too_long.read_string(true);
  EXPECT_FALSE(too_long.ok()) << "32767 is the most, in the compact form too";
}

TEST(Reader, CountsAreBoundedByWhatIsThere) {
  const ExactBytes huge(from_hex("7fffffff 0000"));
  Reader r(huge);
  EXPECT_EQ(r.read_count(false, 1), 0);
  EXPECT_FALSE(r.ok());
  const ExactBytes fits_bytes(from_hex("00000002 0000"));
  Reader fits(fits_bytes);
  EXPECT_EQ(fits.read_count(false, 1), 2);
  const ExactBytes elements_too_large_bytes(from_hex("00000002 0000"));
  Reader elements_too_large(elements_too_large_bytes);
  elements_too_large.read_count(false, 2);
  EXPECT_FALSE(elements_too_large.ok());
  const ExactBytes null_bytes(from_hex("00"));
  Reader null(null_bytes);
  EXPECT_EQ(null.read_count(true, 1), -1);
  EXPECT_TRUE(null.ok());
  const ExactBytes negative_bytes(from_hex("fffffffe"));
  Reader negative(negative_bytes);
  negative.read_count(false, 1);
  EXPECT_FALSE(negative.ok());
}

}  // namespace
}  // namespace hayward

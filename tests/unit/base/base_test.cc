// Tests of schemas/runtime and engine/base: the small pieces under everything.
#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/base/trace.h"
#include "schemas/runtime/array.h"
#include "schemas/runtime/ids.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward {
namespace {

TEST(Uuid, TextFormIsKafkas) {
  EXPECT_EQ((Uuid{0, 1}.to_string()), "AAAAAAAAAAAAAAAAAAAAAQ");
  const Uuid id{0x0123456789abcdefull, 0xfedcba9876543210ull};
  EXPECT_EQ(Uuid::parse(id.to_string()), id);
  EXPECT_EQ(Uuid::parse("AAAAAAAAAAAAAAAAAAAAAR"), std::nullopt) << "bits below the 128th";
  EXPECT_EQ(Uuid::parse("short"), std::nullopt);
}

TEST(Array, GrowsInItsArena) {
  Arena arena;
  Array<int> a;
  for (int i = 0; i < 100; ++i) a.push_back(arena, i);
  ASSERT_EQ(a.size(), 100u);
  EXPECT_EQ(a[99], 99);
  EXPECT_FALSE(a == Array<int>::null());
}

TEST(Reader, CountsAreBoundedByWhatIsLeft) {
  Buffer bytes(4);
  Writer(bytes).write_i32(1'000'000'000);
  Reader reader(bytes);
  EXPECT_EQ(reader.read_count(false, 1), 0);
  EXPECT_FALSE(reader.ok());
}

TEST(Varint, RoundTripsAtTheEdges) {
  for (const std::int64_t v : {INT64_MIN, std::int64_t{-65}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{63}, std::int64_t{64}, INT64_MAX}) {
    Buffer bytes(10);
    Writer writer(bytes);
    writer.write_varlong(v);
    Reader reader(Bytes(bytes).first(writer.written()));
    EXPECT_EQ(reader.read_varlong(), v);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 0u);
  }
}

TEST(Prng, SameSeedSameNumbers) {
  Prng a(7), b(7), c(8);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

}  // namespace
}  // namespace hayward

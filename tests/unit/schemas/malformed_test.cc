// Every message and record in every version: cut at each byte, and with bytes changed.
#include <gtest/gtest.h>

#include "tests/conformance/codec.h"
#include "tests/unit/schemas/bytes.h"

namespace hayward::conformance {
namespace {

// Calls visit(codec, version, bytes) with `rounds` random encodings of each.
template <class Visit>
void for_each_encoding(int rounds, Visit&& visit) {
  for_each_codec([&](const Codec& codec) {
    Random random(std::hash<std::string_view>{}(codec.name));
    for (std::int16_t version = codec.min_version; version <= codec.max_version; ++version) {
      for (int i = 0; i < rounds; ++i) {
        Buffer bytes;
        ASSERT_TRUE(codec.produce(random, version, bytes)) << codec.name << " v" << version;
        visit(codec, version, bytes);
      }
    }
  });
}

TEST(Malformed, CutAtEachByteIsRefused) {
  for_each_encoding(2, [](const Codec& codec, std::int16_t version, const Buffer& bytes) {
    const Bytes whole(bytes);
    const std::size_t step = bytes.size() > 2000 ? 7 : 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      const ExactBytes cut(whole.first(size));
      ASSERT_FALSE(codec.accepts(cut, version)) << codec.name << " v" << version << " cut at " << size;
    }
    EXPECT_TRUE(codec.accepts(ExactBytes(whole), version));
  });
}

TEST(Malformed, ChangedBytesAreRefusedOrReadAsSomethingElse) {
  Random random(7);
  constexpr std::uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
  int accepted = 0;
  int refused = 0;
  for_each_encoding(3, [&](const Codec& codec, std::int16_t version, const Buffer& bytes) {
    for (int change = 0; change < 30 && !bytes.empty(); ++change) {
      Buffer changed = bytes;
      for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
        changed[random.below(changed.size())] = static_cast<std::byte>(values[random.below(std::size(values))]);
      }
      Buffer once, twice;
      if (!codec.recode(ExactBytes(changed), version, once)) {
        ++refused;
        continue;
      }
      ++accepted;
      ASSERT_TRUE(codec.recode(once, version, twice)) << codec.name << " v" << version;
      ASSERT_EQ(once, twice) << codec.name << " v" << version;
    }
  });
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Malformed, VersionsAroundTheRangeAreRefused) {
  for_each_codec([](const Codec& codec) {
    const Buffer zeros(64);
    EXPECT_FALSE(codec.accepts(zeros, static_cast<std::int16_t>(codec.min_version - 1))) << codec.name;
    EXPECT_FALSE(codec.accepts(zeros, static_cast<std::int16_t>(codec.max_version + 1))) << codec.name;
  });
}

}  // namespace
}  // namespace hayward::conformance

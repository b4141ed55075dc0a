// Properties of any log: the indexes say what the partitions say, going back gives what was there, and what is
// refused changes nothing.
#include <map>

#include "engine/core/invariants.h"
#include "tests/unit/image/random_log.h"

namespace hayward::core::testing {
namespace {

constexpr int steps = 1'500;

class RandomLogTest : public ::testing::TestWithParam<std::uint64_t> {};

void replay(Image& image, Bytes record, Offset offset) {
  const auto applied = image.replay(record, offset);
  ASSERT_TRUE(applied.has_value()) << applied.error().to_string();
}

TEST_P(RandomLogTest, IndexesAgreeWithTheirRecomputationAfterEveryRecord) {
  RandomLog log(GetParam());
  Image image;
  for (int step = 0; step < steps; ++step) {
    replay(image, log.next(image), Offset{step});
    ASSERT_EQ(check_indexes(image.topics()), std::nullopt) << "after record " << step;
  }
  EXPECT_GT(image.topics().partition_count(), 0u);
}

TEST_P(RandomLogTest, RevertGivesTheImageOfThatOffset) {  // cases.md row 65
  RandomLog log(GetParam());
  Image image;
  std::map<Offset, std::uint64_t> hashes{{no_offset, image.hash()}};
  std::int64_t next = 0;
  std::int64_t committed = -1;
  int reverts = 0;
  for (int step = 0; step < steps; ++step) {
    replay(image, log.next(image), Offset{next});
    hashes[Offset{next++}] = image.hash();
    const auto pending = static_cast<std::uint64_t>(next - 1 - committed);
    if (log.prng().chance(1, 10)) {
      committed += static_cast<std::int64_t>(log.prng().below(pending + 1));
      image.set_committed(Offset{committed});
    } else if (log.prng().chance(1, 20)) {
      next -= static_cast<std::int64_t>(log.prng().below(pending + 1));
      image.revert_to(Offset{next - 1});
      ++reverts;
      ASSERT_EQ(image.hash(), hashes.at(Offset{next - 1})) << "back to " << next - 1;
      ASSERT_EQ(check_indexes(image.topics()), std::nullopt);
    }
  }
  EXPECT_GT(reverts, 10);
}

TEST_P(RandomLogTest, DamagedRecordsNeitherCrashNorChangeAnythingWhenRefused) {
  RandomLog log(GetParam());
  Image image;
  for (int step = 0; step < steps; ++step) {
    const Buffer good = log.next(image);
    Buffer bad = good;
    for (std::uint64_t flips = 1 + log.prng().below(3); flips > 0; --flips) {
      bad[log.prng().below(bad.size())] ^= static_cast<std::byte>(1 + log.prng().below(255));
    }
    const std::uint64_t before = image.hash();
    image.set_committed(Offset{step * 2 - 1});
    if (const auto applied = image.replay(bad, Offset{step * 2}); !applied) {
      ASSERT_EQ(image.hash(), before);
      ASSERT_EQ(applied.error().to_string().find('\n'), std::string::npos);
    } else {
      ASSERT_EQ(check_indexes(image.topics()), std::nullopt);
      image.revert_to(Offset{step * 2 - 1});
      ASSERT_EQ(image.hash(), before);
    }
    replay(image, good, Offset{step * 2 + 1});
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLogTest, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace hayward::core::testing

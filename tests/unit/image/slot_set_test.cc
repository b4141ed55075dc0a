// SlotSet against std::set, under random and ascending use.
#include "engine/core/image/slot_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "engine/base/prng.h"

namespace hayward::core {
namespace {

void expect_same(const SlotSet& found, const std::set<std::uint32_t>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  std::vector<std::uint32_t> walked;
  for (std::uint32_t slot : found) walked.push_back(slot);
  ASSERT_EQ(walked, std::vector<std::uint32_t>(expected.begin(), expected.end()));
}

TEST(SlotSet, SaysWhatStdSetSaysUnderRandomUse) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Prng prng(seed);
    SlotSet found;
    std::set<std::uint32_t> expected;
    for (int step = 0; step < 20'000; ++step) {
      const auto slot = static_cast<std::uint32_t>(prng.below(4'000));
      // Grows for the first half, then shrinks, so that chunks split and vanish.
      if (prng.chance(step < 10'000 ? 7 : 3, 10)) {
        ASSERT_EQ(found.insert(slot), expected.insert(slot).second);
      } else {
        ASSERT_EQ(found.erase(slot), expected.erase(slot) == 1);
      }
      const auto probe = static_cast<std::uint32_t>(prng.below(4'100));
      ASSERT_EQ(found.contains(probe), expected.contains(probe));
      const auto next = expected.lower_bound(probe);
      ASSERT_EQ(found.at_or_after(probe), next == expected.end() ? std::nullopt : std::optional(*next));
    }
    expect_same(found, expected);
    while (!expected.empty()) {
      ASSERT_TRUE(found.erase(*expected.begin()));
      expected.erase(expected.begin());
    }
    expect_same(found, expected);
  }
}

TEST(SlotSet, AscendingFillTakesLittleMoreThanItsEntries) {
  SlotSet set;
  for (std::uint32_t slot = 0; slot < 100'000; ++slot) ASSERT_TRUE(set.insert(slot));
  EXPECT_LT(set.heap_bytes(), 100'000 * 5u);
}

TEST(SlotSet, EmptyHasNothing) {
  SlotSet set;
  EXPECT_FALSE(set.erase(1));
  EXPECT_FALSE(set.contains(0));
  EXPECT_EQ(set.at_or_after(0), std::nullopt);
  EXPECT_EQ(set.begin(), set.end());
}

}  // namespace
}  // namespace hayward::core

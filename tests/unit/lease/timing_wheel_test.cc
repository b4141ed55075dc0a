// Tests of engine/core/lease/timing_wheel: nothing comes up early, nothing is lost, however far the hand
// jumps.
#include "engine/core/lease/timing_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/prng.h"

namespace hayward::core {
namespace {

std::vector<std::uint32_t> due_at(TimingWheel& wheel, std::int64_t now_ns) {
  std::vector<std::uint32_t> due;
  wheel.advance({now_ns}, due);
  std::sort(due.begin(), due.end());
  return due;
}

using Indices = std::vector<std::uint32_t>;

TEST(TimingWheel, ComesUpAtTheTickAfterItsTime) {
  TimingWheel wheel(10, {0});
  wheel.schedule(3, {25});
  EXPECT_EQ(wheel.next_due().ns, 30);
  EXPECT_EQ(due_at(wheel, 29), Indices{});
  EXPECT_EQ(due_at(wheel, 30), Indices{3});
  EXPECT_EQ(wheel.next_due(), mono_never);
}

TEST(TimingWheel, ATimeOnATickWaitsForTheNextOne) {
  TimingWheel wheel(10, {0});
  wheel.schedule(0, {30});
  EXPECT_EQ(due_at(wheel, 30), Indices{}) << "30 has not passed at 30";
  EXPECT_EQ(due_at(wheel, 40), Indices{0});
}

TEST(TimingWheel, CancelUnlinksHeadMiddleAndTail) {
  for (std::uint32_t gone = 0; gone < 3; ++gone) {
    TimingWheel wheel(10, {0});
    for (std::uint32_t index = 0; index < 3; ++index) wheel.schedule(index, {15});
    wheel.cancel(gone);
    wheel.cancel(gone);
    Indices rest{0, 1, 2};
    rest.erase(rest.begin() + gone);
    EXPECT_EQ(due_at(wheel, 100), rest);
  }
}

TEST(TimingWheel, PastTimesComeUpAtTheNextTickAndFarOnesAtTheEndOfTheReach) {
  TimingWheel wheel(10, {1000});
  wheel.schedule(0, {5});
  wheel.schedule(1, {1'000'000'000});
  EXPECT_EQ(due_at(wheel, 1010), Indices{0});
  EXPECT_EQ(wheel.next_due().ns, 1000 + (TimingWheel::slot_count - 1) * 10);
}

TEST(TimingWheel, AJumpOfManyRevolutionsFindsEverything) {
  TimingWheel wheel(10, {0});
  for (std::uint32_t index = 0; index < 500; ++index) wheel.schedule(index, {index * 20});
  EXPECT_EQ(due_at(wheel, INT64_MAX / 2).size(), 500u);
}

TEST(TimingWheel, TimesBeforeZeroRoundDown) {
  TimingWheel wheel(10, {-105});
  wheel.schedule(0, {-95});
  EXPECT_EQ(due_at(wheel, -91), Indices{});
  EXPECT_EQ(due_at(wheel, -90), Indices{0});
}

// Against the plainest model: a list of (index, time).
TEST(TimingWheel, AgreesWithAList) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Prng prng(seed);
    std::int64_t now = static_cast<std::int64_t>(prng.below(1000));
    TimingWheel wheel(7, {now});
    std::vector<std::pair<std::uint32_t, std::int64_t>> model;
    for (int step = 0; step < 300; ++step) {
      const auto index = static_cast<std::uint32_t>(prng.below(40));
      const bool scheduled = std::ranges::any_of(model, [&](const auto& m) { return m.first == index; });
      if (prng.chance(1, 2) && !scheduled) {
        const std::int64_t at = now + static_cast<std::int64_t>(prng.below(3000));
        wheel.schedule(index, {at});
        model.emplace_back(index, at);
      } else if (prng.chance(1, 4)) {
        wheel.cancel(index);
        std::erase_if(model, [&](const auto& m) { return m.first == index; });
      } else {
        now += static_cast<std::int64_t>(prng.below(prng.chance(1, 10) ? 20'000 : 50));
        Indices expected;
        for (const auto& [i, at] : model) {
          if (at / 7 < now / 7) expected.push_back(i);
        }
        std::erase_if(model, [&](const auto& m) { return m.second / 7 < now / 7; });
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(due_at(wheel, now), expected) << "seed " << seed;
      }
      std::int64_t earliest = INT64_MAX;
      for (const auto& m : model) earliest = std::min(earliest, (m.second / 7 + 1) * 7);
      ASSERT_EQ(wheel.next_due().ns, earliest) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace hayward::core

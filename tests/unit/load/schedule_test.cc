// Intended times: counts, rows of slots, no drift.
#include "tools/load/schedule.h"

#include <gtest/gtest.h>

namespace hayward::tools {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(LoadSchedule, AsManyAsTheRateSays) {
  const Schedule schedule(5 * second, 7 * second, 1000, 10);
  EXPECT_EQ(schedule.total(), 2000u);
  EXPECT_EQ(schedule.intended_ns(0), 5 * second);
  EXPECT_EQ(schedule.intended_ns(1999), 5 * second + 1'999'000'000);
}

TEST(LoadSchedule, DueIsUpToAndIncludingNowAndNeverMoreThanAll) {
  const Schedule schedule(0, second, 10, 3);
  EXPECT_EQ(schedule.due(-1), 0u);
  EXPECT_EQ(schedule.due(0), 1u);
  EXPECT_EQ(schedule.due(99'999'999), 1u);
  EXPECT_EQ(schedule.due(100'000'000), 2u);
  EXPECT_EQ(schedule.due(60 * second), 10u);
}

TEST(LoadSchedule, EverySlotHasItsRow) {
  const Schedule schedule(0, second, 7, 3);  // slots 0 1 2 0 1 2 0
  EXPECT_EQ(schedule.due_on(0, 7), 3u);
  EXPECT_EQ(schedule.due_on(1, 7), 2u);
  EXPECT_EQ(schedule.due_on(2, 7), 2u);
  EXPECT_EQ(schedule.due_on(2, 2), 0u);
  EXPECT_EQ(schedule.index(2, 1), 5u);
}

TEST(LoadSchedule, RatesThatDoNotDivideTheSecondDoNotDrift) {
  const Schedule schedule(second, 3601 * second, 3, 1);
  EXPECT_EQ(schedule.total(), 3600u * 3);
  for (const std::uint64_t i : {0u, 1u, 2u, 3u, 10'799u}) {
    EXPECT_EQ(schedule.due(schedule.intended_ns(i)), i + 1) << i;
    EXPECT_EQ(schedule.due(schedule.intended_ns(i) - 1), i) << i;
  }
}

TEST(LoadSchedule, CanEndEarly) {
  Schedule schedule(0, 10 * second, 10, 3);
  schedule.end_at(second);
  EXPECT_EQ(schedule.total(), 10u);
  EXPECT_EQ(schedule.due(5 * second), 10u);
}

}  // namespace
}  // namespace hayward::tools

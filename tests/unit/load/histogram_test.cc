// Percentiles against sorted values; extremes.
#include "tools/load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/prng.h"

namespace hayward::tools {
namespace {

TEST(LoadHistogram, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.percentile_ns(99), 0);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.mean_ns(), 0);
}

TEST(LoadHistogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int i = 1; i <= 100; ++i) histogram.record(i);
  EXPECT_EQ(histogram.percentile_ns(50), 50);
  EXPECT_EQ(histogram.percentile_ns(99), 99);
  EXPECT_EQ(histogram.percentile_ns(99.9), 100);
  EXPECT_EQ(histogram.percentile_ns(0), 1);
  EXPECT_DOUBLE_EQ(histogram.mean_ns(), 50.5);
}

TEST(LoadHistogram, OneValueIsEveryPercentile) {
  Histogram histogram;
  histogram.record(123'456'789);
  for (const double percent : {0.0, 50.0, 99.99, 100.0}) EXPECT_EQ(histogram.percentile_ns(percent), 123'456'789);
}

TEST(LoadHistogram, ExtremesHaveTheirBuckets) {
  Histogram histogram;
  histogram.record(-5);
  histogram.record(INT64_MAX);
  EXPECT_EQ(histogram.percentile_ns(50), 0);
  EXPECT_EQ(histogram.percentile_ns(100), INT64_MAX);
  EXPECT_EQ(histogram.max_ns(), INT64_MAX);
}

TEST(LoadHistogram, APercentileIsNeverBelowTheTruthAndAtMostOnePercentAbove) {
  Prng prng(7);
  Histogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 100'000; ++i) {
    values.push_back(static_cast<std::int64_t>(prng.next() >> (20 + prng.below(40))));
    histogram.record(values.back());
  }
  std::ranges::sort(values);
  for (const double percent : {10.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    const auto rank = static_cast<std::size_t>(percent / 100 * static_cast<double>(values.size()));
    const std::int64_t truth = values[rank - 1];
    EXPECT_GE(histogram.percentile_ns(percent), truth) << percent;
    EXPECT_LE(static_cast<double>(histogram.percentile_ns(percent)), static_cast<double>(truth) * 1.01 + 1) << percent;
  }
  EXPECT_EQ(histogram.max_ns(), values.back());
}

TEST(LoadHistogram, TwoAddUpToOneOfBoth) {
  Histogram a, b, both;
  for (int i = 1; i <= 1000; ++i) {
    (i % 3 == 0 ? a : b).record(i * 1000);
    both.record(i * 1000);
  }
  a.add(b);
  EXPECT_EQ(a.count(), 1000u);
  EXPECT_EQ(a.max_ns(), both.max_ns());
  EXPECT_DOUBLE_EQ(a.mean_ns(), both.mean_ns());
  for (const double percent : {1.0, 50.0, 99.0}) EXPECT_EQ(a.percentile_ns(percent), both.percentile_ns(percent));
}

TEST(LoadHistogram, SinceAnEarlierCopyOnlyWhatCameAfter) {
  Histogram histogram;
  histogram.record(9'000'000);
  const Histogram before = histogram;
  histogram.record(10);
  histogram.record(20);
  const Histogram recent = histogram.since(before);
  EXPECT_EQ(recent.count(), 2u);
  EXPECT_EQ(recent.max_ns(), 20);
  EXPECT_EQ(recent.percentile_ns(50), 10);
  EXPECT_DOUBLE_EQ(recent.mean_ns(), 15);
}

}  // namespace
}  // namespace hayward::tools

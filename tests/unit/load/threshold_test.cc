// What --fail-if and --phases take and what they refuse.
#include "tools/load/threshold.h"

#include <gtest/gtest.h>

#include "tools/load/options.h"

namespace hayward::tools {
namespace {

PhaseResult phase(const char* name, std::initializer_list<std::int64_t> latencies_us, std::uint64_t errors = 0) {
  PhaseResult result;
  result.name = name;
  for (const std::int64_t us : latencies_us) result.latency.record(us * 1000);
  if (errors > 0) result.errors["NOT_CONTROLLER"] = errors;
  result.end_ns = 1'000'000'000;
  return result;
}

bool fails(const char* text, const std::vector<PhaseResult>& results) {
  const auto threshold = parse_threshold(text);
  EXPECT_TRUE(threshold) << threshold.error();
  return threshold && !missed({*threshold}, results).empty();
}

TEST(LoadThreshold, TimesHaveUnitsAndHoldForEveryPhaseOrForOne) {
  const std::vector<PhaseResult> results = {phase("steady", {100, 200, 4000}), phase("kill/heartbeats", {9000})};
  EXPECT_TRUE(fails("max>5ms", results));
  EXPECT_FALSE(fails("steady.max>5ms", results));
  EXPECT_TRUE(fails("steady.p99.9>3999us", results));
  EXPECT_TRUE(fails("kill/heartbeats.p50>0.008s", results));
  EXPECT_FALSE(fails("max>9.1ms", results));
  EXPECT_TRUE(fails("steady.mean<2ms", results));
}

TEST(LoadThreshold, NumbersHaveNone) {
  const std::vector<PhaseResult> results = {phase("steady", {1, 2, 3}, 2)};
  EXPECT_TRUE(fails("errors>1", results));
  EXPECT_FALSE(fails("errors>2", results));
  EXPECT_TRUE(fails("steady.rate<3.5", results));
  EXPECT_FALSE(fails("steady.rate<3", results));
  EXPECT_FALSE(fails("unanswered>0", results));
}

TEST(LoadThreshold, APhaseThatDidNotTakePlaceFails) { EXPECT_TRUE(fails("kill.max>1s", {phase("steady", {1})})); }

TEST(LoadThreshold, WhatIsMissedIsNamedWithWhatWasFound) {
  const auto lines = missed({*parse_threshold("max>1ms")}, {phase("steady", {2500})});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "max>1ms: steady's max is 2.500 ms");
}

TEST(LoadThreshold, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "p99.9", "p98>5ms", "p99.9>5", "p99.9>ms", "errors>1ms", "steady.>1", ".max>1ms",
                           "max>1min", "steadymax>1ms", "max=1ms"}) {
    EXPECT_FALSE(parse_threshold(text)) << text;
  }
}

TEST(LoadParts, AreTakenInTheirOrder) {
  const auto parts = parse_parts("register,unfence,create,kill,return,kill,steady,alter-partition");
  ASSERT_TRUE(parts) << parts.error();
  EXPECT_EQ(parts->size(), 8u);
  EXPECT_EQ(name(parts->at(4)), "return");
  EXPECT_TRUE(parse_parts("register"));
}

TEST(LoadParts, RefusesOrdersThatCannotBeRun) {
  for (const char* text : {"", "steady", "register,steady", "unfence,register", "register,unfence,unfence",
                           "register,unfence,return", "register,unfence,kill,kill", "register,unfence,sleep",
                           "register,unfence,", "register,unfence,kill,return,return"}) {
    EXPECT_FALSE(parse_parts(text)) << text;
  }
}

}  // namespace
}  // namespace hayward::tools

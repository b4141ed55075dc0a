// A crash at every completion of a scripted life of the log: it always boots again, and nothing that was
// acknowledged is lost (S1, S3, S5, S6). Each place once by a killed process and once by a power cut, and
// once more with a second crash in the middle of the recovery.
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>

#include "tests/sim/log/world.h"

namespace hayward::sim {
namespace {

// Appends of many sizes over several segments, elections, snapshots, retention, a truncation.
void live(LogWorld& world) {
  if (!world.boot()) return;
  world.persist(1, 1);
  if (!world.settle()) return;
  for (std::int32_t i = 0; i < 12; ++i) world.append(1, 1 + i % 3, static_cast<std::size_t>(10 + i * 37));
  if (!world.settle()) return;
  for (std::int32_t i = 0; i < 6; ++i) {
    world.append(1, 1, 600);
    if (!world.settle()) return;
  }
  world.snapshot(world.flushed, 3000);
  world.append(1, 2, 50);
  world.persist(2, 2);
  world.append(2, 1, 30);
  if (!world.settle()) return;
  world.append(2, 1, 900);
  if (!world.run_until([&] { return world.flushed == world.end; })) return;
  world.truncate(world.end - 1);  // a whole segment, as it happens
  world.append(3, 1, 40);
  world.append(3, 1, 40);
  world.append(3, 1, 40);
  world.persist(3, 1);
  if (!world.settle()) return;
  world.truncate(world.end - 2);
  if (!world.run_for_ms(50)) return;
  world.append(3, 1, 40);
  if (!world.settle()) return;
  for (std::int32_t i = 0; i < 5; ++i) world.append(3, 4, 150);
  if (!world.settle()) return;
  for (std::int32_t i = 0; i < 8; ++i) {  // two in a segment
    world.append(3, 1, 900);
    if (!world.settle()) return;
  }
  world.truncate(world.end - 7);  // several segments: a crash among them must leave no hole
  world.append(3, 1, 60);
  if (!world.settle()) return;
  world.snapshot(world.flushed, 200);
  if (!world.settle()) return;
  if (!world.run_for_ms(130'000)) return;  // retention, then the unlinking of what it dropped
  world.append(3, 1, 10);
  if (!world.settle()) return;
  world.close();
}

void configure(LogWorld& world, std::uint64_t seed) {
  world.options.segment_bytes = 2500;
  world.options.retention_bytes = 4000;
  world.disk.changes_in_order = seed % 2 == 0;
}

std::uint64_t completions_of_a_whole_life(std::uint64_t seed) {
  LogWorld world(seed);
  configure(world, seed);
  world.start_process();
  live(world);
  EXPECT_TRUE(world.failures.empty());
  EXPECT_GT(world.start, 0) << "the script is to reach retention";
  return world.port->completions();
}

class LogCrash : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LogCrash, AtEveryCompletion) {  // cases.md row 53
  const std::uint64_t seed = GetParam();
  const std::uint64_t whole = completions_of_a_whole_life(seed);
  ASSERT_GT(whole, 200u);
  Prng prng(seed);
  for (std::uint64_t place = 0; place <= whole; ++place) {
    for (const End how : {End::killed, End::power_cut}) {
      LogWorld world(seed);
      configure(world, seed);
      world.start_process({}, place);
      live(world);
      world.end_process(how);
      // A second crash, somewhere in the recovery.
      world.start_process({}, prng.below(60));
      world.boot();
      ASSERT_EQ(world.refusal, "") << "seed " << seed << " place " << place << " how " << static_cast<int>(how);
      world.end_process(prng.chance(1, 2) ? End::power_cut : End::killed);
      world.start_process();
      ASSERT_TRUE(world.boot()) << "seed " << seed << " place " << place << " how " << static_cast<int>(how) << ": " << world.refusal;
      ASSERT_EQ(world.check_all(), "") << "seed " << seed << " place " << place << " how " << static_cast<int>(how);
      // And it goes on.
      world.append(world.last_epoch + 1, 1, 20);
      ASSERT_TRUE(world.settle()) << world.failures[0];
      world.end_process(End::power_cut);
      world.start_process();
      ASSERT_TRUE(world.boot()) << "seed " << seed << " place " << place << " how " << static_cast<int>(how) << ": " << world.refusal;
      ASSERT_EQ(world.check_all(), "") << "seed " << seed << " place " << place << " how " << static_cast<int>(how) << ", later";
    }
  }
}

TEST_P(LogCrash, TheSameSeedGivesTheSameTrace) {
  std::uint64_t traces[2];
  for (std::uint64_t& trace : traces) {
    LogWorld world(GetParam());
    configure(world, GetParam());
    world.start_process({}, 150);
    live(world);
    world.end_process(End::power_cut);
    world.start_process();
    ASSERT_TRUE(world.boot()) << world.refusal;
    ASSERT_EQ(world.check_all(), "");
    world.append(world.last_epoch + 1, 3, 100);
    ASSERT_TRUE(world.settle());
    trace = world.trace();
  }
  std::printf("seed %" PRIu64 " trace %016" PRIx64 "\n", GetParam(), traces[0]);
  EXPECT_EQ(traces[0], traces[1]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LogCrash, testing::Values(1, 2));

}  // namespace
}  // namespace hayward::sim

// Quorums of 1 to 5 controllers under faults, over many seeds: raft's and the controllers' invariants by an oracle after
// every step, life after healing, and the same trace for the same seed. HAYWARD_SEED=n runs one seed alone,
// HAYWARD_SEEDS=n that many; HAYWARD_TRACE=1 tells what happens.
#include <gtest/gtest.h>

#include <cstdlib>

#include "quorum_world.h"

namespace hayward::sim {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

QuorumWorld::Options options_of(std::uint64_t seed) {
  constexpr int sizes[] = {3, 3, 5, 3, 2, 3, 4, 5, 1, 3};
  QuorumWorld::Options options;
  options.seed = seed;
  options.voters = sizes[seed % std::size(sizes)];
  options.dynamic = seed / 10 % 2 == 1;
  options.changing = options.dynamic && seed % 2 == 0;
  if (seed % 3 == 0) options.snapshot_bytes = 5000;
  return options;
}

TEST(QuorumSim, InvariantsHoldOverManySeeds) {
  const std::uint64_t only = from_environment("HAYWARD_SEED", 0);
  const std::uint64_t first = only != 0 ? only : 1;
  const std::uint64_t last = only != 0 ? only : from_environment("HAYWARD_SEEDS", 440);
  QuorumHappenings all;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    QuorumWorld world(options_of(seed));
    const auto violation = world.run();
    ASSERT_FALSE(violation.has_value()) << "seed " << seed << ": " << *violation;
    all.add(world.happenings());
  }
  if (only != 0) return;
  for (const std::uint64_t count :
       {all.crashes, all.pauses, all.partitions, all.one_way, all.bad_networks, all.slow_disks, all.stops, all.elections,
        all.truncations, all.refused_dials, all.timeouts, all.duplicates, all.resets, all.drops, all.acknowledged,
        all.refused_writes, all.voters_added, all.voters_removed}) {
    EXPECT_GT(count, 0u);
  }
  RecordProperty("steps", static_cast<int>(all.steps));
  RecordProperty("elections", static_cast<int>(all.elections));
  RecordProperty("truncations", static_cast<int>(all.truncations));
  RecordProperty("acknowledged", static_cast<int>(all.acknowledged));
}

TEST(QuorumSim, TheSameSeedGivesTheSameTrace) {
  const auto hash_of = [](std::uint64_t seed) {
    QuorumWorld world(options_of(seed));
    world.run();
    return world.trace_hash();
  };
  EXPECT_EQ(hash_of(3), hash_of(3));
  EXPECT_NE(hash_of(3), hash_of(5));
}

}  // namespace
}  // namespace hayward::sim

// Brokers' lives under faults, over many seeds: lease invariants by an oracle of its own, image invariants after
// every step, liveness after healing, and the same trace for the same seed. HAYWARD_SEED=n runs one seed alone,
// HAYWARD_SEEDS=n that many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "broker_life.h"

namespace hayward::sim {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

BrokerLife::Options options_of(std::uint64_t seed, std::uint16_t shards = 1) {
  BrokerLife::Options options;
  options.seed = seed;
  options.shards = shards;
  options.brokers = 1 + static_cast<int>(seed % 6);
  options.elr = seed % 2 == 0;
  if (seed % 4 == 1) {
    options.session_ms = 3000;
    options.heartbeat_ms = 500;
  }
  return options;
}

// HAYWARD_SEED alone, if it is set; else 1 to HAYWARD_SEEDS, or to `otherwise`.
std::vector<std::uint64_t> seeds_to_run(std::uint64_t otherwise) {
  if (const std::uint64_t only = from_environment("HAYWARD_SEED", 0); only != 0) return {only};
  std::vector<std::uint64_t> seeds(from_environment("HAYWARD_SEEDS", otherwise));
  std::iota(seeds.begin(), seeds.end(), 1);
  return seeds;
}

// Lives one life and adds what happened in it to `all`.
void live(const BrokerLife::Options& options, Happenings& all) {
  BrokerLife life(options);
  const auto violation = life.run();
  ASSERT_FALSE(violation.has_value()) << "seed " << options.seed << ": " << *violation;
  all.add(life.happenings());
}

class BrokerLifeTest : public ::testing::TestWithParam<std::uint16_t> {};

TEST_P(BrokerLifeTest, InvariantsHoldOverManySeeds) {  // cases.md rows 1, 4, P6, P7, P8, P9, P11 and P12
  const std::vector<std::uint64_t> seeds = seeds_to_run(60);
  Happenings all;
  for (const std::uint64_t seed : seeds) {
    ASSERT_NO_FATAL_FAILURE(live(options_of(seed, GetParam()), all));
  }
  if (seeds.size() == 1) return;
  EXPECT_GT(all.pauses, 0u);
  EXPECT_GT(all.crashes, 0u);
  EXPECT_GT(all.slow_disks, 0u);
  EXPECT_GT(all.busy_times, 0u);
  EXPECT_GT(all.silences, 0u);
  EXPECT_GT(all.kills, 0u);
  EXPECT_GT(all.shutdowns, 0u);
  EXPECT_GT(all.orderly_stops, 0u);
  EXPECT_GT(all.refused_doubles, 0u);
  EXPECT_GT(all.expiries, 0u);
  EXPECT_GT(all.stalls, 0u);
  EXPECT_GT(all.ignored, 0u);
  EXPECT_GT(all.foreign, 0u);
  EXPECT_GT(all.partitions, 0u);
  if (GetParam() > 1) {
    EXPECT_GT(all.elsewhere, 0u);
    EXPECT_GT(all.fetches_beside, 1000u);
    EXPECT_GT(all.shard_pauses, 0u);
  }
  RecordProperty("steps", static_cast<int>(all.steps));
  RecordProperty("records", static_cast<int>(all.records));
}

INSTANTIATE_TEST_SUITE_P(Shards, BrokerLifeTest, ::testing::Values(1, 2, 4),
                         [](const auto& shards) { return "Of" + std::to_string(shards.param); });

// Every fence, drain and unfence of more than one or two partitions goes in slices.
TEST(BrokerLife, InvariantsHoldWhereEverythingIsDoneInSlices) {
  const std::vector<std::uint64_t> seeds = seeds_to_run(20);
  Happenings all;
  for (const std::uint64_t seed : seeds) {
    BrokerLife::Options options = options_of(seed);
    options.partitions_per_slice = 1 + seed % 3;
    ASSERT_NO_FATAL_FAILURE(live(options, all));
  }
  if (seeds.size() == 1) return;
  EXPECT_GT(all.in_slices, 20u);
  EXPECT_GT(all.orderly_stops, 0u);
  EXPECT_GT(all.crashes, 0u);
}

// Brokers that lead thousands of partitions die, drain and come back.
// cases.md row 19.
TEST(BrokerLife, WithThousandsOfPartitionsABroker) {
  Happenings all;
  for (std::uint64_t seed = 1; seed <= from_environment("HAYWARD_SEEDS", 2); ++seed) {
    BrokerLife::Options options = options_of(seed);
    options.brokers = 4;
    options.topic_partitions = 3000;
    options.partitions_per_slice = 100;
    options.steps_between_checks = 97;
    ASSERT_NO_FATAL_FAILURE(live(options, all));
  }
  EXPECT_GT(all.in_slices, 0u);
  EXPECT_GT(all.partitions, 3000u);
}

// Seeds that once found something; each stays.
TEST(BrokerLife, SeedsThatOnceFailed) {
  Happenings all;
  for (const std::uint64_t seed : {
           25ull,    // what arrives after an expiry was mailed does not count for the old lease
           1309ull,  // an old incarnation's heartbeats hid those of the present one from its next lease
           385ull,   // C4: unfenced under a registration that is in controlled shutdown
       }) {
    EXPECT_NO_FATAL_FAILURE(live(options_of(seed), all));
  }
}

TEST(BrokerLife, SeedsThatOnceFailedOnSeveralShards) {
  Happenings all;
  // L1: of heartbeats that waited for the activation only the first taken up counted, here an old one.
  EXPECT_NO_FATAL_FAILURE(live(options_of(2943, 2), all));
  for (const std::uint64_t seed : {
           286ull,  // L1: a stall of the owner's was not owed to a heartbeat that was granted a lease only after it
           570ull,  // the oracle: a heartbeat that a later one overtook on its way between shards is ignored
           60ull,   // the oracle: an older heartbeat behind the wish to shut down does not take it back
       }) {
    EXPECT_NO_FATAL_FAILURE(live(options_of(seed, 4), all));
  }
}

TEST(BrokerLife, TheSameSeedGivesTheSameTrace) {
  const auto hash_of = [](std::uint64_t seed, std::uint16_t shards = 1) {
    BrokerLife life(options_of(seed, shards));
    life.run();
    return life.trace_hash();
  };
  EXPECT_EQ(hash_of(5), hash_of(5));
  EXPECT_NE(hash_of(5), hash_of(11));
  EXPECT_EQ(hash_of(5, 4), hash_of(5, 4));
}

}  // namespace
}  // namespace hayward::sim

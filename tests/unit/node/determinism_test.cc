// The same events give the same effects, byte for byte.
#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/core/image/image.h"
#include "tests/node_machine/machine.h"
#include "samples.h"

namespace hayward::core {
namespace {

// A day of requests, ticks, flushes and restarts, drawn from the seed.
std::uint64_t run(std::uint64_t seed, std::uint64_t node_seed) {
  Machine machine({.bootstrap_features = true, .snapshot_bytes = 4000});
  machine.config.random_seed = node_seed;
  machine.bring_up();
  Prng random(seed);
  const std::vector<Sample> samples = sample_requests(start_broker(machine).value, 1);
  for (std::uint32_t slot = 1; slot <= 2000; ++slot) {
    const Sample& sample = samples[random.below(samples.size())];
    machine.ask_bytes(slot, sample.api_key, sample.version, sample.body);
    if (random.chance(1, 3)) machine.pass_ms(static_cast<std::int64_t>(random.below(700)));
    if (random.chance(1, 2)) machine.settle();
    if (random.chance(1, 50)) machine.step(ConnectionClosed{{slot, 1, 0}});
    if (random.chance(1, 200)) machine.bring_up_again();
    EXPECT_EQ(machine.failure(), "");
  }
  machine.settle();
  // What is in the log makes the image that the node has.
  const std::uint64_t hash = machine.node().image().hash();
  EXPECT_TRUE(machine.boot());
  EXPECT_EQ(machine.node().image().hash(), hash);
  return machine.trace();
}

TEST(Determinism, SameEventsSameEffects) {
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run(seed, 42), run(seed, 42));
}

TEST(Determinism, TheTraceSeesADifference) {
  EXPECT_NE(run(1, 42), run(2, 42));
  EXPECT_NE(run(1, 42), run(1, 43));  // topic ids come from the node's seed
}

}  // namespace
}  // namespace hayward::core

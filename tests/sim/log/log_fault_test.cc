// Random work on disks that fail, seed after seed: short reads and writes, full disks, failed writes and
// syncs whose pages are dropped, stalls. The first error ends the log's use (S4); after a restart all that
// was acknowledged is there (S1, S3). A disk that lies (misdirected writes, flipped bits on reads, damage
// at rest) may cost data, but never in silence and never gives other bytes than were written (S1, S2).
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/sim/log/world.h"

namespace hayward::sim {
namespace {

// HAYWARD_SEEDS raises the number of seeds for long runs.
std::uint64_t seed_count(std::uint64_t usual) {
  const char* text = std::getenv("HAYWARD_SEEDS");
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

void configure(LogWorld& world, Prng& prng) {
  world.options.segment_bytes = 1500 + static_cast<std::int64_t>(prng.below(6000));
  world.options.retention_bytes = 3000 + static_cast<std::int64_t>(prng.below(20'000));
  world.options.cache_bytes = prng.below(4000);
  world.disk.changes_in_order = prng.chance(1, 2);
}

// One step of work; what it needs of the past is in the world.
void work(LogWorld& world, Prng& prng) {
  switch (prng.below(10)) {
    case 0: world.persist(world.last_epoch, static_cast<std::int32_t>(prng.below(5))); break;
    case 1: if (world.flushed > 0 && world.snapshots_pending == 0) world.snapshot(world.flushed, prng.below(2000)); break;
    case 2: world.run_for_ms(static_cast<std::int64_t>(prng.below(70'000))); break;
    case 3: world.settle(); break;
    case 4: world.append(world.last_epoch + 1, 1, 10); break;
    case 5: world.truncate_some(prng.below(3)); break;
    default:
      for (std::uint64_t i = 1 + prng.below(6); i > 0; --i) {
        const auto records = 1 + static_cast<std::int32_t>(prng.below(3));
        world.append(std::max(world.last_epoch, 1), records, prng.below(700));
      }
  }
}

SimFaults honest_faults(Prng& prng) {
  SimFaults faults;
  const auto maybe = [&prng](unsigned ppm) { return prng.chance(1, 2) ? ppm : 0; };
  faults.short_write_ppm = maybe(200'000);
  faults.short_read_ppm = maybe(200'000);
  faults.write_error_ppm = maybe(4'000);
  faults.sync_error_ppm = maybe(8'000);
  faults.no_space_ppm = maybe(4'000);
  faults.metadata_error_ppm = maybe(4'000);
  faults.sync_stall_ppm = maybe(20'000);
  return faults;
}

// Until something ends it. After a failure of the log's file its bytes must not change any more.
void live(LogWorld& world, Prng& prng) {
  for (int step = 0; step < 60 && world.alive(); ++step) work(world, prng);
  if (world.failures.empty()) return;
  const bool of_the_log = world.failures[0].find("written and synced at byte") != std::string::npos;
  const SimFile* active = nullptr;
  std::vector<std::string> names;
  world.disk.list("/m/__cluster_metadata-0", names);
  for (const std::string& name : names)
    if (name.ends_with(".log")) active = world.disk.file("/m/__cluster_metadata-0/" + name);
  ASSERT_NE(active, nullptr);
  const Buffer before(active->cached().begin(), active->cached().end());
  world.port->faults() = {};
  const std::int64_t until = world.clock.now_ns() + 5'000'000'000;
  while (world.port->next_due_ns() <= until) world.port->run_once(true);
  if (of_the_log) {
    EXPECT_TRUE(as_text(before) == as_text(active->cached())) << "written to after: " << world.failures[0];
  }
  EXPECT_EQ(world.failures.size(), 1u) << "told once";
}

struct Totals {
  std::uint64_t failures = 0, short_writes = 0, sync_errors = 0, no_space = 0, reboots = 0, refused = 0, torn = 0;
};

TEST(LogFaults, NothingAcknowledgedIsLostOnAnHonestDisk) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= seed_count(150); ++seed) {
    Prng prng(seed);
    LogWorld world(seed);
    configure(world, prng);
    for (int life = 0; life < 4; ++life) {
      world.start_process();
      ASSERT_TRUE(world.boot()) << "seed " << seed << " life " << life << ": " << world.refusal;
      ASSERT_EQ(world.check_all(), "") << "seed " << seed << " life " << life;
      world.port->faults() = honest_faults(prng);
      if (prng.chance(1, 2)) world.port->crash_at(world.port->completions() + prng.below(400));
      if (prng.chance(1, 4)) world.disk.capacity_bytes = world.disk.used_bytes() + prng.below(20'000);
      live(world, prng);
      if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "seed " << seed << " life " << life;
      totals.failures += world.failures.size();
      totals.short_writes += world.port->counts().short_writes;
      totals.sync_errors += world.port->counts().sync_errors;
      totals.no_space += world.port->counts().no_space;
      world.end_process(prng.chance(1, 2) ? End::power_cut : End::killed);
      world.disk.capacity_bytes = UINT64_MAX;
      ++totals.reboots;
    }
    totals.torn += world.disk.crash_counts().torn_files;
  }
  EXPECT_GT(totals.failures, 20u);
  EXPECT_GT(totals.short_writes, 100u);
  EXPECT_GT(totals.sync_errors, 10u);
  EXPECT_GT(totals.no_space, 10u);
  EXPECT_GT(totals.torn, 10u);
}

// Damage at rest anywhere in the partition directory's log and snapshot files.
void damage(LogWorld& world, Prng& prng) {
  std::vector<std::string> names;
  world.disk.list("/m/__cluster_metadata-0", names);
  std::erase_if(names, [](const std::string& n) { return !n.ends_with(".log") && !n.ends_with(".checkpoint"); });
  if (names.empty()) return;
  SimFile* file = world.disk.file("/m/__cluster_metadata-0/" + names[prng.below(names.size())]);
  if (file->size() == 0) return;
  const std::uint64_t at = prng.below(file->size());
  file->flip_bit(at, static_cast<unsigned>(prng.below(8)));
}

TEST(LogFaults, ALyingDiskIsNeverBelieved) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= seed_count(150); ++seed) {
    Prng prng(seed * 7919);
    LogWorld world(seed);
    configure(world, prng);
    world.start_process();
    ASSERT_TRUE(world.boot());
    if (prng.chance(1, 2)) world.port->faults().misdirected_write_ppm = 20'000;
    for (int step = 0; step < 40 && world.alive(); ++step) work(world, prng);
    if (world.alive() && prng.chance(1, 2)) world.close();
    world.end_process(prng.chance(1, 2) ? End::power_cut : End::killed);
    if (prng.chance(1, 2)) damage(world, prng);
    SimFaults faults;
    if (prng.chance(1, 3)) faults.read_flip_ppm = 50'000;
    world.start_process(faults);
    if (!world.boot()) {
      EXPECT_NE(world.refusal, "") << "seed " << seed;
      ++totals.refused;
      continue;
    }
    world.port->faults() = {};
    ASSERT_EQ(world.check_truth(), "") << "seed " << seed;
    ++totals.reboots;
  }
  EXPECT_GT(totals.refused, 20u);
  EXPECT_GT(totals.reboots, 20u);
}

}  // namespace
}  // namespace hayward::sim

// The simulated disk against what a real one may and may not do.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/host/ring/wait.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {
namespace {

using ring::wait_for;

// One node: its disk, and the process of the moment.
struct Node {
  SimClock clock;
  SimDisk disk;
  std::unique_ptr<SimPort> port;
  std::uint64_t seed;

  explicit Node(std::uint64_t s, const SimFaults& faults = {}) : disk(s), seed(s) { start(faults); }
  void start(const SimFaults& faults = {}) { port = std::make_unique<SimPort>(clock, disk, ++seed, faults); }
  void power_cut() {
    port->crash_now();
    port.reset();
    disk.crash();
    start();
  }
  Fd open(const char* path, int flags) {
    return wait_for(*port, [&](auto& p, auto& op) { p.open(op, path, flags, 0644); });
  }
  std::int32_t write(Fd fd, std::string_view text, std::uint64_t offset, bool durable) {
    const iovec part{const_cast<char*>(text.data()), text.size()};
    return wait_for(*port, [&](auto& p, auto& op) { p.write(op, fd, {&part, 1}, offset, durable); });
  }
  std::int32_t fsync(Fd fd) {
    return wait_for(*port, [&](auto& p, auto& op) { p.fsync(op, fd, false); });
  }
  std::int32_t rename(const char* from, const char* to) {
    return wait_for(*port, [&](auto& p, auto& op) { p.rename(op, from, to); });
  }
  std::int32_t close(Fd fd) {
    return wait_for(*port, [&](auto& p, auto& op) { p.close(op, fd); });
  }
};

constexpr std::uint64_t seeds = 300;

TEST(SimDisk, WhatWasSyncedSurvivesEveryPowerCut) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Node node(seed);
    node.disk.put("/d/f", "");
    const Fd fd = node.open("/d/f", O_RDWR);
    const std::string text(5000, 'a');
    EXPECT_EQ(node.write(fd, text, 0, true), 5000);
    node.power_cut();
    EXPECT_EQ(node.disk.content("/d/f"), text);
  }
}

TEST(SimDisk, UnsyncedSectorsAndSizesAreKeptOrLost) {
  std::set<std::string> seen;
  bool torn = false;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Node node(seed);
    node.disk.put("/f", "");
    const Fd fd = node.open("/f", O_RDWR);
    node.write(fd, std::string(512, 'a'), 0, false);
    node.write(fd, std::string(512, 'b'), 512, false);
    node.power_cut();
    const std::string left = node.disk.content("/f");
    std::string shape;  // one letter a sector
    for (std::size_t i = 0; i < left.size(); i += 512) shape += left[i] == 0 ? '0' : left[i];
    seen.insert(shape);
    torn = torn || node.disk.crash_counts().torn_files > 0;
  }
  // Lost, half, all; grown with data zero; the later sector without the earlier one.
  EXPECT_EQ(seen, (std::set<std::string>{"", "a", "ab", "0", "00", "a0", "0b"}));
  EXPECT_TRUE(torn);
}

TEST(SimDisk, ASectorMayComeBackInAnOldVersion) {
  std::set<char> seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Node node(seed);
    node.disk.put("/f", std::string(512, '0'));
    const Fd fd = node.open("/f", O_RDWR);
    node.write(fd, std::string(512, '1'), 0, false);
    node.write(fd, std::string(512, '2'), 0, false);
    node.power_cut();
    seen.insert(node.disk.content("/f").at(0));
  }
  EXPECT_EQ(seen, (std::set<char>{'0', '1', '2'}));
}

TEST(SimDisk, ANameIsDurableOnlyAfterItsDirectoryIsSynced) {
  std::set<bool> seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Node node(seed);
    node.disk.put_directory("/d");
    const Fd fd = node.open("/d/f", O_RDWR | O_CREAT);
    node.write(fd, "text", 0, true);
    if (seed % 2 == 0) {
      const Fd directory = node.open("/d", O_RDONLY | O_DIRECTORY);
      EXPECT_EQ(node.fsync(directory), 0);
      node.power_cut();
      EXPECT_EQ(node.disk.content("/d/f"), "text");
    } else {
      node.power_cut();
      seen.insert(node.disk.exists("/d/f"));
    }
  }
  EXPECT_EQ(seen.size(), 2u) << "kept and lost";
}

TEST(SimDisk, RenameIsAtomicButNotDurable) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Node node(seed);
    node.disk.put("/d/old", "one");
    node.disk.put("/d/new", "two");
    EXPECT_EQ(node.rename("/d/new", "/d/old"), 0);
    EXPECT_EQ(node.disk.content("/d/old"), "two");
    if (seed % 2 == 0) {
      node.fsync(node.open("/d", O_RDONLY));
      node.power_cut();
      EXPECT_EQ(node.disk.content("/d/old"), "two");
      EXPECT_FALSE(node.disk.exists("/d/new"));
    } else {
      node.power_cut();
      EXPECT_EQ(node.disk.content("/d/old") == "one", node.disk.exists("/d/new"));
      seen.insert(node.disk.content("/d/old"));
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"one", "two"}));
}

TEST(SimDisk, AFailedSyncDropsThePagesAndTheNextOneLies) {
  SimFaults faults;
  faults.sync_error_ppm = 1'000'000;
  Node node(7, faults);
  node.disk.put("/f", "old!");
  const Fd fd = node.open("/f", O_RDWR);
  EXPECT_EQ(node.write(fd, "new!", 0, false), 4);
  EXPECT_EQ(node.fsync(fd), -EIO);
  node.port->faults() = {};
  EXPECT_EQ(node.fsync(fd), 0);
  EXPECT_EQ(node.disk.content("/f"), "new!");
  EXPECT_EQ(node.disk.durable_content("/f"), "old!");
  node.port->drop_cache(fd, 0, 0);
  EXPECT_EQ(node.disk.content("/f"), "old!");
  EXPECT_EQ(node.port->counts().sync_errors, 1u);
}

TEST(SimDisk, TruncateThenAppendReadsZerosWhereNothingWasWritten) {
  Node node(3);
  node.disk.put("/f", std::string(2000, 'x'));
  const Fd fd = node.open("/f", O_RDWR);
  EXPECT_EQ(wait_for(*node.port, [&](auto& p, auto& op) { p.truncate(op, fd, 100); }), 0);
  EXPECT_EQ(node.write(fd, "y", 1999, false), 1);
  EXPECT_EQ(node.fsync(fd), 0);
  node.power_cut();
  EXPECT_EQ(node.disk.content("/f"), std::string(100, 'x') + std::string(1899, '\0') + "y");
}

TEST(SimDisk, AFullDiskWritesWhatFitsAndThenNothing) {
  Node node(3);
  node.disk.capacity_bytes = 1024;
  const Fd fd = node.open("/f", O_RDWR | O_CREAT);
  EXPECT_EQ(node.write(fd, std::string(2000, 'x'), 0, false), 1024);
  EXPECT_EQ(node.write(fd, "x", 1024, false), -ENOSPC);
  EXPECT_EQ(wait_for(*node.port, [&](auto& p, auto& op) { p.fallocate(op, fd, 0, 4096); }), -ENOSPC);
  EXPECT_EQ(wait_for(*node.port, [&](auto& p, auto& op) { p.unlink(op, "/f"); }), 0);
  EXPECT_EQ(node.disk.used_bytes(), 1024u) << "still open";
  EXPECT_EQ(node.close(fd), 0);
  EXPECT_EQ(node.disk.used_bytes(), 0u);
}

TEST(SimDisk, ALockGoesWithItsDescriptor) {
  Node node(3);
  const Fd first = node.open("/.lock", O_RDWR | O_CREAT);
  const Fd second = node.open("/.lock", O_RDWR);
  EXPECT_EQ(node.port->try_lock(first), 0);
  EXPECT_EQ(node.port->try_lock(second), -EAGAIN);
  SimPort other(node.clock, node.disk, 9);
  node.port->crash_now();
  const Fd third = wait_for(other, [](auto& p, auto& op) { p.open(op, "/.lock", O_RDWR, 0); });
  EXPECT_EQ(other.try_lock(third), 0);
}

// Replaces a file's content the careful way. False once the process is dead.
bool replace_safely(Node& node, std::string_view text) {
  const Fd fd = node.open("/d/f.tmp", O_RDWR | O_CREAT | O_TRUNC);
  if (fd < 0) return false;
  const bool written = node.write(fd, text, 0, false) == static_cast<std::int32_t>(text.size()) && node.fsync(fd) == 0;
  if (!written || node.close(fd) != 0 || node.rename("/d/f.tmp", "/d/f") != 0) return false;
  const Fd directory = node.open("/d", O_RDONLY);
  return directory >= 0 && node.fsync(directory) == 0 && node.close(directory) == 0;
}

TEST(SimPort, ACrashAtEveryCompletionLeavesOldOrNew) {
  const std::string old_text(3000, 'o'), new_text(4000, 'n');
  std::set<char> seen;
  std::uint64_t both = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (std::uint64_t at = 0;; ++at) {
      Node node(seed);
      node.disk.changes_in_order = seed % 2 == 0;
      node.disk.put("/d/f", old_text);
      node.port->crash_at(at);
      const bool done = replace_safely(node, new_text);
      EXPECT_EQ(done, !node.port->crashed());
      both += node.port->counts().done_by_crash > 0;
      node.power_cut();
      const std::string left = node.disk.content("/d/f");
      ASSERT_TRUE(left == old_text || left == new_text) << "seed " << seed << " crash at " << at;
      if (done) {
        EXPECT_EQ(left, new_text);
        break;
      }
      seen.insert(left[0]);
    }
  }
  EXPECT_EQ(seen, (std::set<char>{'n', 'o'}));
  EXPECT_GT(both, 0u);
}

TEST(SimPort, ADeadPortAnswersEverythingAndChangesNothing) {
  Node node(5);
  const Fd fd = node.open("/f", O_RDWR | O_CREAT);
  node.write(fd, "kept", 0, true);
  node.port->crash_now();
  EXPECT_TRUE(node.port->crashed());
  EXPECT_EQ(node.write(fd, "lost", 0, true), -ESHUTDOWN);
  EXPECT_EQ(node.open("/g", O_RDWR | O_CREAT), -ESHUTDOWN);
  EXPECT_EQ(wait_for(*node.port, [&](auto& p, auto& op) { p.timeout(op, INT64_MAX); }), -ESHUTDOWN);
  EXPECT_EQ(node.disk.content("/f"), "kept");
  EXPECT_FALSE(node.disk.exists("/g"));
}

// Many writes at once, with every kind of fault.
std::uint64_t busy_trace(std::uint64_t seed, FaultCounts& counts) {
  SimFaults faults;
  faults.short_write_ppm = faults.write_error_ppm = faults.sync_stall_ppm = 100'000;
  faults.batch_limit = 3;
  Node node(seed, faults);
  const Fd fd = node.open("/f", O_RDWR | O_CREAT);
  const std::string text(1000, 't');
  const iovec part{const_cast<char*>(text.data()), text.size()};
  std::vector<Operation> operations(50);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i].handler = [](Operation&, const Completion&) {};
    node.port->write(operations[i], fd, {&part, 1}, i * 700, i % 3 == 0);
  }
  while (node.port->next_due_ns() != SimPort::never) node.port->run_once(true);
  counts = node.port->counts();
  return node.port->trace();
}

TEST(SimPort, TheSameSeedGivesTheSameTrace) {
  FaultCounts counts;
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint64_t trace = busy_trace(seed, counts);
    EXPECT_EQ(trace, busy_trace(seed, counts));
    traces.insert(trace);
  }
  EXPECT_EQ(traces.size(), 20u);
  // For comparing builds: one seed, one trace, whatever the compiler (--gtest_output=xml).
  testing::Test::RecordProperty("trace_of_seed_1", std::to_string(busy_trace(1, counts)));
  EXPECT_GT(counts.reordered, 0u);
  EXPECT_GT(counts.short_writes, 0u);
  EXPECT_GT(counts.write_errors, 0u);
}

}  // namespace
}  // namespace hayward::sim

// Metadata snapshots: written, read in pieces, kept and dropped by retention, and what recovery makes of them.
#include <algorithm>

#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

class SnapshotTest : public LogTest {
 protected:
  static core::SnapshotId id(std::int64_t end_offset, std::int32_t epoch) { return {Offset{end_offset}, Epoch{epoch}}; }
  void write(core::SnapshotId snapshot, std::size_t value_bytes = 100) {
    const std::size_t before = snapshots_written.size();
    core::WriteSnapshot order;
    order.id = snapshot;
    order.last_contained_wall_ms = clock.wall_ms();
    order.batches = make_snapshot_batches(snapshot.epoch.value, clock.wall_ms(), value_bytes);
    log->write_snapshot(std::move(order));
    run_until([&] { return snapshots_written.size() > before; });
  }
  std::pair<bool, std::string> read_part(core::SnapshotId snapshot, std::int64_t position, std::int32_t length) {
    std::pair<bool, std::string> result;
    bool done = false;
    log->read_snapshot(snapshot, position, length, [&](bool ok, driver::LogSlice slice) {
      result.first = ok;
      for (const Bytes part : slice.parts) result.second += as_text(part);
      done = true;
    });
    run_until([&done] { return done; });
    return result;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    disk.list(partition, all);
    return all;
  }
  bool there(const std::string& name) const { return disk.exists(path(name)); }
};

TEST_F(SnapshotTest, IsWrittenReadAndFoundAgain) {
  must_open();
  append_many(10, 1);
  write(id(7, 1), 3'000'000);
  EXPECT_EQ(snapshots_written.back(), (std::pair{id(7, 1), true}));
  const std::string file = disk.durable_content(path("00000000000000000007-0000000001.checkpoint"));
  ASSERT_GT(file.size(), 3'000'000u);
  EXPECT_EQ(read_part(id(7, 1), 1000, 500), (std::pair{true, file.substr(1000, 500)}));
  EXPECT_EQ(read_part(id(7, 1), static_cast<std::int64_t>(file.size()) - 10, 500).second.size(), 10u);
  EXPECT_FALSE(read_part(id(8, 1), 0, 10).first);
  EXPECT_FALSE(read_part(id(7, 1), static_cast<std::int64_t>(file.size()) + 1, 10).first);
  power_cut();
  must_open();
  ASSERT_EQ(log->state().snapshots.size(), 1u);
  EXPECT_EQ(log->state().snapshots[0].id, id(7, 1));
  EXPECT_EQ(log->state().snapshots[0].size, static_cast<std::int64_t>(file.size()));
  EXPECT_EQ(replayed(), (std::vector<std::int64_t>{7, 8, 9}));
  EXPECT_EQ(snapshot_batches, 3);
}

// In as many orders as there are batches.
TEST_F(SnapshotTest, ComesInOrdersAndHasNoNameBeforeTheLast) {
  must_open();
  append_many(10, 1);
  const std::vector<Buffer> batches = make_snapshot_batches(1, clock.wall_ms());
  const auto order = [&](core::SnapshotId snapshot, std::size_t i) {
    log->write_snapshot({snapshot, clock.wall_ms(), {batches[i]}, i == 0, i + 1 == batches.size()});
  };
  const auto chunk = [&](core::SnapshotId snapshot, std::size_t i) {
    const std::size_t before = snapshot_chunks.size();
    order(snapshot, i);
    run_until([&] { return snapshot_chunks.size() > before; });
  };
  chunk(id(5, 1), 0);  // given up by the next one
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) chunk(id(7, 1), i);
  for (const std::string& name : names()) EXPECT_FALSE(name.ends_with(".checkpoint")) << name;
  EXPECT_EQ(std::ranges::count_if(names(), [](const std::string& n) { return n.ends_with(".part"); }), 1);
  EXPECT_TRUE(snapshots_written.empty());
  order(id(7, 1), batches.size() - 1);
  run_until([&] { return !snapshots_written.empty(); });
  EXPECT_EQ(snapshots_written.back(), (std::pair{id(7, 1), true}));
  chunk(id(9, 1), 0);
  close();
  must_open();
  ASSERT_EQ(log->state().snapshots.size(), 1u);
  EXPECT_EQ(log->state().snapshots[0].id, id(7, 1));
  EXPECT_EQ(replayed(), (std::vector<std::int64_t>{7, 8, 9}));
  for (const std::string& name : names()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(SnapshotTest, AFailureLeavesTheLogUsable) {
  must_open();
  append_many(3, 1);
  run_for_ms(2000);
  disk.capacity_bytes = disk.used_bytes() + 4096;
  write(id(3, 1), 100'000);
  EXPECT_FALSE(snapshots_written.back().second);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("ENOSPC"), std::string::npos) << notes[0];
  append_many(1, 1);
  EXPECT_TRUE(failures.empty());
  for (const std::string& name : names()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(SnapshotTest, RetentionByBytesDropsTheOldestAndItsLog) {
  options.segment_bytes = 2000;
  options.retention_bytes = 9000;
  must_open();
  append_many(40, 1);
  write(id(20, 1));
  write(id(30, 1));
  append_many(20, 1);
  run_for_ms(61'000);
  EXPECT_TRUE(starts.empty()) << "below the limit";
  append_many(40, 1);
  run_for_ms(61'000);
  EXPECT_EQ(starts, (std::vector<std::int64_t>{30}));
  EXPECT_FALSE(there("00000000000000000020-0000000001.checkpoint"));
  EXPECT_TRUE(there("00000000000000000020-0000000001.checkpoint.deleted"));
  EXPECT_TRUE(there("00000000000000000000.log.deleted"));
  EXPECT_TRUE(there("00000000000000000030-0000000001.checkpoint")) << "the last one stays";
  EXPECT_FALSE(read(29, 100).first);
  EXPECT_TRUE(read(30, 100).first);
  run_for_ms(61'000);
  for (const std::string& name : names()) EXPECT_FALSE(name.ends_with(".deleted")) << name;
  power_cut();
  must_open();
  EXPECT_GT(log->state().start, Offset{0});
  EXPECT_LE(log->state().start, Offset{30});
  EXPECT_EQ(log->state().end, Offset{100});
  EXPECT_EQ(replayed().front(), 30);
}

TEST_F(SnapshotTest, RetentionByAge) {
  options.retention_ms = 3'600'000;
  must_open();
  append_many(10, 1);
  write(id(5, 1));
  run_for_ms(3'500'000);
  write(id(9, 1));
  EXPECT_TRUE(starts.empty());
  run_for_ms(200'000);
  EXPECT_EQ(starts, (std::vector<std::int64_t>{9}));
  run_for_ms(7'200'000);
  EXPECT_EQ(starts.size(), 1u) << "one snapshot is always kept";
}

TEST_F(SnapshotTest, NegativeLimitsAreOff) {
  options.retention_bytes = options.retention_ms = -1;
  must_open();
  append_many(10, 1);
  write(id(5, 1), 200'000);
  write(id(9, 1));
  run_for_ms(1'000'000'000);
  EXPECT_TRUE(starts.empty());
}

TEST_F(SnapshotTest, ALogThatEndsBelowTheNewestSnapshotBeginsAnewThere) {
  must_open();
  append_many(10, 1);
  close();
  std::string file;
  for (const Buffer& batch : make_snapshot_batches(3, 5)) file += as_text(batch);
  disk.put(path("00000000000000000050-0000000003.checkpoint"), file);
  must_open();
  EXPECT_EQ(log->state().start, Offset{50});
  EXPECT_EQ(log->state().end, Offset{50});
  EXPECT_TRUE(log->state().epochs.empty());
  append_many(1, 4);
  power_cut();
  must_open();
  EXPECT_EQ(log->state().end, Offset{51});
}

// A leader's snapshot of a later epoch, of which less is committed than this log holds: its segments go from the last
// one down, each for good before the next. A power cut that kept the removal of one in the middle alone would leave a
// hole with a log behind it, which is damage.
TEST_F(SnapshotTest, APowerCutWhileALogBeginsAnewLeavesNoHole) {
  std::string file;
  for (const Buffer& batch : make_snapshot_batches(3, 5)) file += as_text(batch);
  options.segment_bytes = 300;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    disk = sim::SimDisk(seed);
    disk.changes_in_order = false;
    disk.put_directory(directory);
    new_port();
    must_open();
    append_many(18, 1);
    close();
    ASSERT_GE(disk.content(path("00000000000000000012.log")).size(), 1u) << "several segments";
    disk.put(path("00000000000000000004-0000000003.checkpoint"), file);
    const sim::SimDisk before = disk;
    bool whole = false;
    for (std::uint64_t place = 1; !whole; ++place) {
      ASSERT_LT(place, 1000u);
      disk = before;
      new_port();
      port->crash_at(place);
      open();
      whole = !port->crashed();
      power_cut();
      ASSERT_EQ(open(), "") << "seed " << seed << " place " << place;
      ASSERT_EQ(log->state().start, Offset{4});
      ASSERT_EQ(log->state().end, Offset{4});
      close();
    }
  }
}

TEST_F(SnapshotTest, ADamagedNewestSnapshotIsPutAsideIfTheLogCoversIt) {
  must_open();
  append_many(10, 1);
  write(id(5, 1));
  write(id(8, 1));
  close();
  disk.put(path("00000000000000000008-0000000001.checkpoint"), "");
  must_open();
  EXPECT_EQ(log->state().snapshots.back().id, id(5, 1));
  EXPECT_EQ(replayed().front(), 5);
  ASSERT_EQ(log->notes().size(), 1u);
  EXPECT_TRUE(there("00000000000000000008-0000000001.checkpoint.damaged"));
}

TEST_F(SnapshotTest, ADamagedOnlySnapshotStopsIfTheLogDoesNotCoverIt) {
  must_open();
  close();
  disk.put(path("00000000000000000050-0000000003.checkpoint"), "short");
  EXPECT_NE(open().find("00000000000000000050-0000000003.checkpoint"), std::string::npos);
  EXPECT_TRUE(there("00000000000000000050-0000000003.checkpoint"));
}

TEST_F(SnapshotTest, AnyFlippedByteOfASnapshotIsFound) {  // cases.md row 56
  must_open();
  append_many(10, 1);
  write(id(5, 1));
  close();
  const std::string name = "00000000000000000005-0000000001.checkpoint";
  const std::string good = disk.content(path(name));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    disk.put(path(name), bad);
    must_open();
    EXPECT_TRUE(log->state().snapshots.empty()) << at;
    EXPECT_EQ(replayed().size(), 10u);
    close();
    EXPECT_EQ(disk.unlink(path(name + ".damaged")), 0) << at;
  }
}

}  // namespace
}  // namespace hayward::log

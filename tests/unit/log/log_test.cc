// The running log: appends and their group commit, segments, reads, truncation, small files, failures.
#include "log/log.h"

#include <algorithm>

#include "log/flush_mark.h"
#include "log/index_format.h"
#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

using LogUse = LogTest;

std::string text_of(const BatchPtr& batch) { return std::string(as_text(batch->bytes)); }

TEST_F(LogUse, AFreshDirectoryGetsKafkasFiles) {
  must_open();
  EXPECT_EQ(log->state().end, Offset{0});
  EXPECT_FALSE(log->state().quorum_state);
  EXPECT_TRUE(disk.exists("/m/.lock"));
  EXPECT_TRUE(disk.exists(path("00000000000000000000.log")));
  EXPECT_TRUE(disk.exists(path("00000000000000000000.index")));
  EXPECT_TRUE(disk.exists(path("00000000000000000000.timeindex")));
  EXPECT_FALSE(disk.exists(path("00000000000000000000.snapshot")));
  EXPECT_EQ(disk.durable_content(path("partition.metadata")), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
  EXPECT_EQ(disk.durable_content(path("leader-epoch-checkpoint")), "0\n0\n");
}

TEST_F(LogUse, WhatIsFlushedIsOnTheDiskAsGiven) {
  must_open();
  const BatchPtr first = make_batch(0, 1, 3), second = make_first_batch(3, 2);
  append({first});
  append({second});
  EXPECT_EQ(flushed, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(disk.durable_content(path("00000000000000000000.log")), text_of(first) + text_of(second));
  power_cut();
  must_open();
  EXPECT_EQ(log->state().end, Offset{4});
  EXPECT_EQ(log->state().epochs, (std::vector<core::EpochStart>{{Epoch{1}, Offset{0}}, {Epoch{2}, Offset{3}}}));
  EXPECT_EQ(replayed(), (std::vector<std::int64_t>{0, 3}));
  close();
  EXPECT_EQ(disk.durable_content(path("leader-epoch-checkpoint")), "0\n2\n1 0\n2 3\n");
}

TEST_F(LogUse, OneTurnsAppendsGoOutInOneWrite) {
  must_open();
  append({make_batch(0, 1), make_batch(1, 1), make_batch(2, 1)});
  EXPECT_EQ(flushed, (std::vector<std::int64_t>{3}));
}

TEST_F(LogUse, WhatArrivesDuringAWriteIsTheNextWrite) {
  must_open();
  log->append(make_batch(0, 1));
  port->run_once(true);  // the nop: the write is under way now
  for (std::int64_t base = 1; base < 6; ++base) log->append(make_batch(base, 1));
  run_until([this] { return !flushed.empty() && flushed.back() == 6; });
  EXPECT_EQ(flushed, (std::vector<std::int64_t>{1, 6}));
}

TEST_F(LogUse, ALargeQueueIsCutIntoBoundedWrites) {
  must_open();
  for (std::int64_t base = 0; base < 5; ++base) log->append(make_batch(base, 1, 1, 400'000));
  run_until([this] { return !flushed.empty() && flushed.back() == 5; });
  EXPECT_EQ(flushed, (std::vector<std::int64_t>{2, 4, 5}));
}

TEST_F(LogUse, ShortWritesAreContinued) {
  must_open();
  port->faults().short_write_ppm = 700'000;
  append_many(50, 1);
  EXPECT_GT(port->counts().short_writes, 10u);
  port->faults().short_write_ppm = 0;
  power_cut();
  must_open();
  EXPECT_EQ(log->state().end, Offset{50});
}

TEST_F(LogUse, RollsBeforeASegmentWouldExceedItsBytes) {
  options.segment_bytes = 1000;
  must_open();
  const std::int64_t batch_bytes = static_cast<std::int64_t>(make_batch(0, 1)->bytes.size());
  const std::int64_t per_segment = 1000 / batch_bytes;
  append_many(static_cast<std::int32_t>(2 * per_segment + 1), 1);
  const std::string second = segment_file_name(Offset{per_segment}, log_suffix);
  EXPECT_EQ(disk.durable_content(path("00000000000000000000.log")).size(), static_cast<std::size_t>(per_segment * batch_bytes));
  EXPECT_EQ(disk.durable_content(path(second)).size(), static_cast<std::size_t>(per_segment * batch_bytes));
  EXPECT_EQ(disk.durable_content(path(segment_file_name(Offset{per_segment}, producer_snapshot_suffix))).size(), 10u);
  power_cut();
  must_open();
  EXPECT_EQ(log->state().end, Offset{2 * per_segment + 1});
}

TEST_F(LogUse, RollsWhenTheFirstBatchIsOldEnough) {
  options.segment_ms = 1000;
  must_open();
  append({make_batch(0, 1, 1, 20, 5000)});
  append({make_batch(1, 1, 1, 20, 6000)});
  EXPECT_FALSE(disk.exists(path("00000000000000000002.log")));
  append({make_batch(2, 1, 1, 20, 6001)});
  EXPECT_TRUE(disk.exists(path("00000000000000000002.log")));
}

TEST_F(LogUse, IndexFilesAreWrittenLazilyAndAtClose) {
  must_open();
  append_many(200, 1, 100);
  run_for_ms(options.mark_sync_delay_ms + 100);
  const std::string index = disk.content(path("00000000000000000000.index"));
  EXPECT_GT(index.size(), 0u);
  append_many(200, 1, 100);
  close();
  const auto entries = decode_index(as_bytes(disk.content(path("00000000000000000000.index"))));
  ASSERT_GE(entries.size(), 10u);
  const std::string content = disk.content(path("00000000000000000000.log"));
  for (const IndexEntry& entry : entries) {
    const auto header = parse_batch_header(as_bytes(content).subspan(static_cast<std::size_t>(entry.position)));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->last_offset().value, entry.relative);
  }
}

TEST_F(LogUse, ReadsFromMemoryAndFromDisk) {
  options.cache_bytes = 2000;
  options.segment_bytes = 8000;
  must_open();
  append_many(300, 1, 50);
  const std::size_t one = make_batch(0, 1, 1, 50)->bytes.size();
  for (const std::int64_t from : {0, 1, 57, 150, 298, 299}) {
    const auto [ok, bytes] = read(from, 300, static_cast<std::int32_t>(3 * one));
    ASSERT_TRUE(ok) << from;
    EXPECT_EQ(parse_batch_header(bytes)->base_offset.value, from);
    EXPECT_LE(bytes.size(), 3 * one);
    EXPECT_EQ(bytes.size() % one, 0u);
  }
  EXPECT_EQ(read(10, 12).second.size(), 2 * one) << "up to `to`";
  EXPECT_EQ(read(10, 300, 1).second.size(), one) << "at least one batch";
  EXPECT_FALSE(read(300, 301).first) << "beyond the end";
  close();
  must_open();
  EXPECT_EQ(read(299, 300).second.size(), one) << "nothing is cached after a restart";
}

// cases.md row 71: whoever catches up from an old offset costs little more than what it is sent.
TEST_F(LogUse, OldOffsetsAreReadWithoutReadingMuchElse) {
  options.cache_bytes = 0;
  must_open();
  append_many(3000, 1, 200);
  constexpr std::int32_t wanted_bytes = 20'000;
  for (int restarted = 0; restarted < 2; ++restarted) {
    for (const std::int64_t from : {5, 777, 1400, 2222, 2890}) {
      const std::uint64_t before = port->bytes_received();
      const auto [ok, bytes] = read(from, 3000, wanted_bytes);
      ASSERT_TRUE(ok);
      EXPECT_GT(bytes.size(), wanted_bytes / 2u);
      EXPECT_LE(port->bytes_received() - before, bytes.size() + 2 * index_interval_bytes + 4096) << from;
    }
    close();
    must_open();
  }
}

TEST_F(LogUse, ABatchThatHoldsTheOffsetComesWhole) {
  options.cache_bytes = 0;
  must_open();
  append({make_batch(0, 1, 10), make_batch(10, 1, 10)});
  const auto [ok, bytes] = read(13, 20);
  ASSERT_TRUE(ok);
  EXPECT_EQ(parse_batch_header(bytes)->base_offset, Offset{10});
}

TEST_F(LogUse, TruncatesWithinASegmentAndAcross) {
  options.segment_bytes = 1000;
  must_open();
  append_many(30, 1);
  log->truncate(Offset{25});
  log->append(make_first_batch(25, 2));
  end = 26;
  run_until([this] { return !flushed.empty() && flushed.back() == 26; });
  log->truncate(Offset{3});
  log->append(make_first_batch(3, 3));
  flushed.clear();
  run_until([this] { return !flushed.empty() && flushed.back() == 4; });
  ASSERT_TRUE(failures.empty()) << failures[0];
  EXPECT_FALSE(read(5, 6).first);
  power_cut();
  must_open();
  EXPECT_EQ(log->state().end, Offset{4});
  EXPECT_EQ(log->state().epochs, (std::vector<core::EpochStart>{{Epoch{1}, Offset{0}}, {Epoch{3}, Offset{3}}}));
}

TEST_F(LogUse, TruncateToWhereASegmentBegins) {
  options.segment_bytes = 1000;
  must_open();
  append_many(30, 1);
  std::int64_t base = 30;
  while (!disk.exists(path(segment_file_name(Offset{base}, log_suffix)))) --base;
  log->truncate(Offset{base});
  log->append(make_first_batch(base, 2));
  flushed.clear();
  run_until([&] { return !flushed.empty() && flushed.back() == base + 1; });
  close();
  must_open();
  EXPECT_EQ(log->state().end, Offset{base + 1});
  log->truncate(Offset{0});
  run_for_ms(100);
  close();
  must_open();
  EXPECT_EQ(log->state().end, Offset{0});
}

TEST_F(LogUse, UnwrittenBatchesThatAreTruncatedAreNeverAnnounced) {
  must_open();
  log->append(make_batch(0, 1));
  port->run_once(true);
  log->append(make_batch(1, 1));
  log->truncate(Offset{0});
  log->append(make_batch(0, 2));
  run_until([this] { return !flushed.empty() && flushed.back() == 1; });
  EXPECT_EQ(std::count_if(flushed.begin(), flushed.end(), [](std::int64_t o) { return o > 1; }), 0);
  power_cut();
  must_open();
  EXPECT_EQ(log->state().epochs, (std::vector<core::EpochStart>{{Epoch{2}, Offset{0}}}));
}

TEST_F(LogUse, QuorumStatesAreDurableInOrder) {
  must_open();
  for (std::int32_t epoch = 1; epoch <= 3; ++epoch) {
    core::QuorumState state;
    state.epoch = Epoch{epoch};
    state.voted = NodeId{epoch};
    state.kraft_version = 1;
    log->persist_quorum_state(state, static_cast<std::uint64_t>(epoch));
  }
  run_until([this] { return persisted.size() == 3; });
  EXPECT_EQ(persisted, (std::vector<std::uint64_t>{1, 2, 3}));
  power_cut();
  must_open();
  ASSERT_TRUE(log->state().quorum_state);
  EXPECT_EQ(log->state().quorum_state->epoch, Epoch{3});
  EXPECT_EQ(log->state().quorum_state->voted, NodeId{3});
}

TEST_F(LogUse, TheFirstErrorEndsTheUseOfTheLog) {
  must_open();
  append_many(3, 1);
  run_for_ms(10);
  port->faults().write_error_ppm = 1'000'000;
  log->append(make_batch(3, 1));
  run_until([this] { return !failures.empty(); });
  port->faults().write_error_ppm = 0;
  log->append(make_batch(4, 1));
  log->persist_quorum_state({}, 9);
  run_for_ms(5000);
  EXPECT_EQ(flushed.back(), 3);
  EXPECT_TRUE(persisted.empty());
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("00000000000000000000.log"), std::string::npos) << failures[0];
  EXPECT_NE(failures[0].find("EIO"), std::string::npos) << failures[0];
  EXPECT_FALSE(read(0, 3).first);
}

TEST_F(LogUse, AFailedSyncIsNeverRetried) {
  must_open();
  append_many(3, 1);
  run_for_ms(10);
  port->faults().sync_error_ppm = 1'000'000;
  log->append(make_batch(3, 1));
  run_until([this] { return !failures.empty(); });
  port->faults().sync_error_ppm = 0;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("00000000000000000000.log"), std::string::npos) << failures[0];
  const std::string before = disk.durable_content(path("00000000000000000000.log"));
  run_for_ms(5000);
  EXPECT_EQ(disk.durable_content(path("00000000000000000000.log")), before);
  kill();
  must_open();
  EXPECT_EQ(log->state().end, Offset{3}) << "what the failed sync left in the page cache does not count";
}

TEST_F(LogUse, AFullDiskLeavesWholeBatches) {
  must_open();
  append_many(3, 1);
  disk.capacity_bytes = disk.used_bytes() + 100;
  log->append(make_batch(3, 1, 1, 5000));
  run_until([this] { return !failures.empty(); });
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("ENOSPC"), std::string::npos) << failures[0];
  kill();
  disk.capacity_bytes = UINT64_MAX;
  must_open();
  EXPECT_EQ(log->state().end, Offset{3});
}

TEST_F(LogUse, CloseFlushesWhatIsPending) {
  must_open();
  log->append(make_batch(0, 1));
  log->append(make_batch(1, 1));
  close();
  EXPECT_EQ(flushed.back(), 2);
  must_open();
  EXPECT_EQ(log->state().end, Offset{2});
}

TEST_F(LogUse, TheMarkNamesTheLastFlushedBatch) {
  must_open();
  append_many(4, 3);
  close();
  const auto mark = decode_flush_mark(as_bytes(disk.durable_content(path("flush-mark"))));
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->end, Offset{4});
  EXPECT_EQ(mark->epoch, Epoch{3});
  EXPECT_EQ(mark->position, static_cast<std::int64_t>(disk.content(path("00000000000000000000.log")).size()));
}

}  // namespace
}  // namespace hayward::log

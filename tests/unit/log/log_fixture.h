// A log on a simulated disk, for tests of one thing at a time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "log/log.h"
#include "log/names.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/batch_writer.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::log {

inline BatchPtr make_batch(std::int64_t base, std::int32_t epoch, std::int32_t records = 1, std::size_t value_bytes = 20,
                           std::int64_t wall_ms = 1'750'000'000'000, BatchKind kind = BatchKind::data) {
  BatchBuilder builder(Offset{base}, Epoch{epoch}, wall_ms, kind);
  for (std::int32_t i = 0; i < records; ++i)
    builder.add(std::nullopt, Buffer(value_bytes, std::byte{static_cast<unsigned char>(base + i)}));
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = Offset{base};
  batch->last = Offset{base + records - 1};
  batch->epoch = Epoch{epoch};
  batch->append_wall_ms = wall_ms;
  batch->bytes = builder.finish();
  return batch;
}

// The control batch that a new epoch begins with.
inline BatchPtr make_first_batch(std::int64_t base, std::int32_t epoch) {
  return make_batch(base, epoch, 1, 20, 1'750'000'000'000, BatchKind::control);
}

// A checkpoint file's batches: header, one data batch, footer.
std::vector<Buffer> make_snapshot_batches(std::int32_t epoch, std::int64_t wall_ms, std::size_t value_bytes = 100);

class LogTest : public testing::Test {
 protected:
  static constexpr std::string_view directory = "/m";
  static constexpr std::string_view partition = "/m/__cluster_metadata-0";

  LogTest() {
    disk.put_directory(directory);
    options.directory = std::string(directory);
    new_port();
  }
  ~LogTest() override {
    log.reset();
    port.reset();
  }

  static std::string path(std::string_view name) { return join_path(partition, name); }
  void new_port() { port = std::make_unique<sim::SimPort>(clock, disk, ++port_seed); }

  // Opens; the error's line, "" if it went well.
  std::string open();
  void must_open() {
    const std::string error = open();
    ASSERT_EQ(error, "");
  }
  // Orderly end of the process.
  void close();
  // kill -9: what is in the page cache stays.
  void kill();
  // Loses what was not synced, too.
  void power_cut();

  // Appends and runs until all is flushed (or the log failed).
  void append(std::initializer_list<BatchPtr> batches);
  // `count` batches of one record each, from the log's end on; the first one a control batch if `new_epoch`.
  void append_many(std::int32_t count, std::int32_t epoch, std::size_t value_bytes = 20, bool new_epoch = false);
  void run_until(const std::function<bool()>& done);
  void run_for_ms(std::int64_t ms);
  // Reads and waits for the answer: ok, and the bytes one after the other.
  std::pair<bool, Buffer> read(std::int64_t from, std::int64_t to, std::int32_t max_bytes = 1 << 20);
  // What replay() gives: bases of log batches; snapshot batches are counted.
  std::vector<std::int64_t> replayed();

  sim::SimClock clock;
  sim::SimDisk disk{1};
  std::uint64_t port_seed = 100;
  std::unique_ptr<sim::SimPort> port;
  LogOptions options;
  std::unique_ptr<Log> log;
  // What came back.
  std::vector<std::int64_t> flushed;
  std::vector<std::uint64_t> persisted;
  std::vector<core::SnapshotId> snapshot_chunks;
  std::vector<std::pair<core::SnapshotId, bool>> snapshots_written;
  std::vector<std::int64_t> starts;
  std::vector<std::string> failures;
  std::vector<std::string> notes;
  int snapshot_batches = 0;
  std::int64_t end = 0;  // of what was appended
};

}  // namespace hayward::log

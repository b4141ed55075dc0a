#include "tests/unit/log/log_fixture.h"

#include "schemas/batch/control.h"

namespace hayward::log {

std::vector<Buffer> make_snapshot_batches(std::int32_t epoch, std::int64_t wall_ms, std::size_t value_bytes) {
  BatchBuilder header(Offset{0}, Epoch{epoch}, wall_ms, BatchKind::control);
  records::SnapshotHeaderRecord record;
  record.last_contained_log_timestamp = wall_ms;
  add_control(header, record);
  BatchBuilder data(Offset{1}, Epoch{epoch}, wall_ms);
  data.add(std::nullopt, Buffer(value_bytes));
  BatchBuilder footer(Offset{2}, Epoch{epoch}, wall_ms, BatchKind::control);
  add_control(footer, records::SnapshotFooterRecord{});
  std::vector<Buffer> batches;
  batches.push_back(header.finish());
  batches.push_back(data.finish());
  batches.push_back(footer.finish());
  return batches;
}

std::string LogTest::open() {
  auto opened = Log::open(*port, options);
  if (!opened) return opened.error().to_line();
  log = std::move(*opened);
  end = log->state().end.value;
  log->start({.flushed = [this](Offset o) { flushed.push_back(o.value); },
              .quorum_state_persisted = [this](std::uint64_t token) { persisted.push_back(token); },
              .snapshot_chunk_written = [this](core::SnapshotId id) { snapshot_chunks.push_back(id); },
              .snapshot_written = [this](core::SnapshotId id, bool ok, std::int64_t) { snapshots_written.emplace_back(id, ok); },
              .log_start_moved = [this](Offset o) { starts.push_back(o.value); },
              .failed = [this](std::string reason) { failures.push_back(std::move(reason)); },
              .note = [this](const std::string& line) { notes.push_back(line); }});
  return "";
}

void LogTest::close() {
  bool done = false;
  log->close([&done] { done = true; });
  run_until([&done] { return done; });
  log.reset();
  new_port();
}

void LogTest::kill() {
  port->crash_now();
  log.reset();
  new_port();
}

void LogTest::power_cut() {
  port->crash_now();
  log.reset();
  port.reset();
  disk.crash();
  new_port();
}

void LogTest::append(std::initializer_list<BatchPtr> batches) {
  for (const BatchPtr& batch : batches) {
    end = batch->last.value + 1;
    log->append(batch);
  }
  run_until([this] { return !failures.empty() || (!flushed.empty() && flushed.back() == end); });
}

void LogTest::append_many(std::int32_t count, std::int32_t epoch, std::size_t value_bytes, bool new_epoch) {
  for (std::int32_t i = 0; i < count; ++i)
    append({new_epoch && i == 0 ? make_first_batch(end, epoch) : make_batch(end, epoch, 1, value_bytes)});
}

void LogTest::run_until(const std::function<bool()>& done) {
  while (!done()) port->run_once(true);
}

void LogTest::run_for_ms(std::int64_t ms) {
  const std::int64_t until = clock.now_ns() + ms * 1'000'000;
  while (port->next_due_ns() <= until) port->run_once(true);
  clock.advance_to(until);
}

std::pair<bool, Buffer> LogTest::read(std::int64_t from, std::int64_t to, std::int32_t max_bytes) {
  bool done = false;
  std::pair<bool, Buffer> result;
  log->read(Offset{from}, Offset{to}, max_bytes, [&](bool ok, driver::LogSlice slice) {
    result.first = ok;
    for (const Bytes part : slice.parts) result.second.insert(result.second.end(), part.begin(), part.end());
    done = true;
  });
  run_until([&done] { return done; });
  return result;
}

std::vector<std::int64_t> LogTest::replayed() {
  std::vector<std::int64_t> bases;
  snapshot_batches = 0;
  const auto result = log->replay_now(
      [this](Bytes) {
        ++snapshot_batches;
        return std::expected<void, std::string>();
      },
      [&bases](Bytes batch) {
        bases.push_back(check_batch(batch)->base_offset.value);
        return std::expected<void, std::string>();
      });
  EXPECT_TRUE(result) << result.error();
  return bases;
}

}  // namespace hayward::log

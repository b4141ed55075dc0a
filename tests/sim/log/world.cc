#include "tests/sim/log/world.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/control.h"

namespace hayward::sim {
namespace {

std::string without_epoch(std::string batch) { return batch.erase(batch_format::epoch_at, 4); }

std::string at(std::int64_t offset) { return "offset " + std::to_string(offset); }

}  // namespace

LogWorld::LogWorld(std::uint64_t seed) : disk(seed), seed_(seed) {
  disk.put_directory("/m");
  options.directory = "/m";
}

LogWorld::~LogWorld() {
  log.reset();
  port.reset();
}

void LogWorld::start_process(const SimFaults& faults, std::uint64_t crash_at) {
  port = std::make_unique<SimPort>(clock, disk, seed_ * 1000 + ++lives_, faults);
  port->crash_at(crash_at);
  failures.clear();
  refusal.clear();
}

bool LogWorld::boot() {
  auto opened = log::Log::open(*port, options);
  if (!opened || port->crashed()) {
    if (!port->crashed()) refusal = opened.error().to_line();
    return false;
  }
  log = std::move(*opened);
  log->start({.flushed =
                  [this](Offset o) {
                    flushed = o.value;
                    if (flushed > end) failures.push_back("flushed beyond the end");
                  },
              .quorum_state_persisted = [this](std::uint64_t token) { persisted = token; },
              .snapshot_chunk_written = [this](core::SnapshotId) { log->write_snapshot(std::move(snapshot_rest_)); },
              .snapshot_written =
                  [this](core::SnapshotId id, bool ok, std::int64_t) {
                    --snapshots_pending;
                    if (ok) snapshots.insert(id);
                  },
              .log_start_moved =
                  [this](Offset o) {
                    start = o.value;
                    std::erase_if(snapshots, [o](core::SnapshotId id) { return id.end < o; });
                  },
              .failed = [this](std::string reason) { failures.push_back(std::move(reason)); },
              .note = [](const std::string&) {}});
  return true;
}

void LogWorld::end_process(End how) {
  if (!port->crashed()) port->crash_now();
  log.reset();
  trace_.add(port->trace());
  port.reset();
  if (how == End::power_cut) disk.crash();
  snapshots_pending = 0;
}

bool LogWorld::close() {
  bool done = false;
  log->close([&done] { done = true; });
  while (!done && !port->crashed()) port->run_once(true);
  return done && alive();
}

void LogWorld::append(std::int32_t epoch, std::int32_t records, std::size_t value_bytes) {
  if (!alive()) return;
  BatchBuilder builder(Offset{end}, Epoch{epoch}, clock.wall_ms(), epoch > last_epoch ? BatchKind::control : BatchKind::data);
  for (std::int32_t i = 0; i < records; ++i)
    builder.add(std::nullopt, Buffer(value_bytes, static_cast<std::byte>(end + i + lives_ * 31)));
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = Offset{end};
  batch->last = Offset{end + records - 1};
  batch->epoch = Epoch{epoch};
  batch->append_wall_ms = clock.wall_ms();
  batch->bytes = builder.finish();
  current_.push_back({end, epoch, std::string(as_text(batch->bytes))});
  ever_[end].push_back(current_.back());
  end += records;
  last_epoch = epoch;
  log->append(std::move(batch));
}

void LogWorld::truncate(std::int64_t to) {
  if (!alive() || to >= end) return;
  while (!current_.empty() && current_.back().base >= to) current_.pop_back();
  end = to;
  flushed = std::min(flushed, to);
  log->truncate(Offset{to});
}

void LogWorld::truncate_some(std::uint64_t batches) {
  std::int64_t lowest = start;
  for (const auto& [id, file] : snapshot_files_) lowest = std::max(lowest, id.end.value);
  std::int64_t to = end;
  for (std::size_t i = current_.size(); i > 0 && batches > 0; --i, --batches) to = std::max(lowest, current_[i - 1].base);
  truncate(to);
  last_epoch = current_.empty() ? 0 : current_.back().epoch;
}

void LogWorld::persist(std::int32_t epoch, std::int32_t vote) {
  if (!alive()) return;
  core::QuorumState state;
  state.epoch = Epoch{epoch};
  state.voted = NodeId{vote};
  state.kraft_version = 1;
  states_.push_back(state);
  log->persist_quorum_state(state, ++asked);
}

void LogWorld::snapshot(std::int64_t end_offset, std::size_t value_bytes) {
  if (!alive()) return;
  const auto next = std::find_if(current_.rbegin(), current_.rend(), [&](const Written& w) { return w.base < end_offset; });
  core::WriteSnapshot order;
  order.id = {Offset{end_offset}, Epoch{next == current_.rend() ? 0 : next->epoch}};
  order.last_contained_wall_ms = clock.wall_ms();
  BatchBuilder header(Offset{0}, order.id.epoch, clock.wall_ms(), BatchKind::control);
  records::SnapshotHeaderRecord record;
  record.last_contained_log_timestamp = clock.wall_ms();
  add_control(header, record);
  BatchBuilder data(Offset{1}, order.id.epoch, clock.wall_ms());
  data.add(std::nullopt, Buffer(value_bytes, std::byte{7}));
  BatchBuilder footer(Offset{2}, order.id.epoch, clock.wall_ms(), BatchKind::control);
  add_control(footer, records::SnapshotFooterRecord{});
  for (BatchBuilder* builder : {&header, &data, &footer}) order.batches.push_back(builder->finish());
  std::string file;
  for (const Buffer& batch : order.batches) file += as_text(batch);
  snapshot_files_[order.id].insert(std::move(file));
  ++snapshots_pending;
  snapshot_rest_ = core::WriteSnapshot{order.id, order.last_contained_wall_ms, {}, false, true};
  std::ranges::move(order.batches.begin() + 1, order.batches.end(), std::back_inserter(snapshot_rest_.batches));
  order.batches.resize(1);
  order.ends = false;
  log->write_snapshot(std::move(order));
}

bool LogWorld::run_until(const std::function<bool()>& done) {
  while (alive() && !done()) port->run_once(true);
  return alive();
}

bool LogWorld::run_for_ms(std::int64_t ms) {
  const std::int64_t until = clock.now_ns() + ms * 1'000'000;
  while (alive() && port->next_due_ns() <= until) port->run_once(true);
  if (alive()) clock.advance_to(std::max(until, clock.now_ns()));
  return alive();
}

std::optional<std::vector<LogWorld::Written>> LogWorld::recovered(std::string& fault) {
  std::vector<Written> found;
  std::string snapshot;
  const auto replayed = log->replay_now(
      [&snapshot](Bytes batch) {
        snapshot += as_text(batch);
        return std::expected<void, std::string>();
      },
      [&found](Bytes batch) {
        const auto header = check_batch(batch);
        found.push_back({header->base_offset.value, header->epoch.value, std::string(as_text(batch))});
        return std::expected<void, std::string>();
      });
  if (!replayed) fault = replayed.error();
  const auto& kept = log->state().snapshots;
  if (!kept.empty() && !snapshot_files_[kept.back().id].contains(snapshot)) fault = "the newest snapshot is not the one written";
  return fault.empty() ? std::optional(std::move(found)) : std::nullopt;
}

std::string LogWorld::check_truth(bool honest) {
  std::string fault;
  const auto found = recovered(fault);
  if (!found) return fault;
  std::int64_t next = found->empty() ? 0 : found->front().base;
  for (const Written& batch : *found) {
    if (batch.base != next) return "a gap at " + at(next);
    const auto& candidates = ever_[batch.base];
    const bool last = &batch == &found->back();
    const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const Written& w) {
      return w.bytes == batch.bytes || (last && !honest && without_epoch(w.bytes) == without_epoch(batch.bytes));
    });
    if (same == candidates.end()) return "never written: " + at(batch.base);
    next = check_batch(as_bytes(batch.bytes))->last_offset().value + 1;
  }
  if (!found->empty() && next != log->state().end.value) return "the log's end is wrong";
  if (const auto& state = log->state().quorum_state; state && honest) {
    if (std::find(states_.begin(), states_.end(), *state) == states_.end()) return "a quorum state that was never asked for";
  }
  return "";
}

std::string LogWorld::check_all() {
  if (std::string fault = check_truth(true); !fault.empty()) return fault;
  std::string fault;
  const auto found = *recovered(fault);
  const core::LogState& state = log->state();
  const std::int64_t from = state.snapshots.empty() ? state.start.value : state.snapshots.back().id.end.value;
  if (state.end.value < flushed) return "acknowledged up to " + at(flushed) + ", found up to " + at(state.end.value);
  auto have = found.begin();
  for (const Written& batch : current_) {
    if (batch.base < from || batch.base >= flushed) continue;
    while (have != found.end() && have->base < batch.base) ++have;
    if (have == found.end() || have->bytes != batch.bytes) return "acknowledged and lost: " + at(batch.base);
  }
  for (const core::SnapshotId id : snapshots) {
    const auto& kept = state.snapshots;
    if (std::none_of(kept.begin(), kept.end(), [id](const core::SnapshotInfo& s) { return s.id == id; }) && id.end >= state.start)
      return "an acknowledged snapshot is gone: " + at(id.end.value);
  }
  if (persisted > 0) {
    const auto& quorum_state = state.quorum_state;
    if (!quorum_state) return "the quorum state is gone";
    const auto kept = std::find(states_.begin() + static_cast<std::ptrdiff_t>(persisted) - 1, states_.end(), *quorum_state);
    if (kept == states_.end()) return "an acknowledged quorum state was undone";
  }
  adopt();
  return "";
}

// What survived is what counts from here on.
void LogWorld::adopt() {
  std::string fault;
  const auto found = *recovered(fault);
  const core::LogState& state = log->state();
  end = flushed = state.end.value;
  std::erase_if(current_, [&](const Written& w) { return w.base >= (found.empty() ? end : found.front().base); });
  current_.insert(current_.end(), found.begin(), found.end());
  last_epoch = current_.empty() ? 0 : current_.back().epoch;
  states_.clear();
  if (state.quorum_state) states_.push_back(*state.quorum_state);
  persisted = asked = states_.size();
  snapshots.clear();
  for (const core::SnapshotInfo& snapshot : state.snapshots) snapshots.insert(snapshot.id);
}

std::uint64_t LogWorld::trace() const {
  TraceHash whole = trace_;
  if (port) whole.add(port->trace());
  return whole.value();
}

}  // namespace hayward::sim

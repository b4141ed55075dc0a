// See log_view.h.
#include "engine/core/raft/log_view.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {

LogView::LogView(const LogState& recovered)
    : start_(recovered.start),
      end_(recovered.end),
      flushed_(recovered.end),
      refetch_to_(recovered.refetch_to),
      epochs_(recovered.epochs),
      snapshots_(recovered.snapshots) {}

Epoch LogView::last_epoch() const {
  if (const auto last = epochs_.last()) return *last;
  return snapshots_.empty() ? Epoch{0} : snapshots_.back().id.epoch;
}

const SnapshotInfo* LogView::find_snapshot(SnapshotId id) const {
  const auto at = std::find_if(snapshots_.begin(), snapshots_.end(), [&](const SnapshotInfo& s) { return s.id == id; });
  return at == snapshots_.end() ? nullptr : &*at;
}

const SnapshotInfo* LogView::latest_snapshot() const {
  return snapshots_.empty() || snapshots_.back().id == bootstrap_snapshot ? nullptr : &snapshots_.back();
}

EpochEnd LogView::end_of(Epoch epoch) const {
  const auto known = epochs_.end_of(epoch, end_);
  if (!known) return {last_epoch(), end_};
  // The epoch right below the log's start is the oldest snapshot's.
  const SnapshotInfo* earliest = earliest_snapshot();
  if (earliest != nullptr && known->end == earliest->id.end && known->epoch == epoch) {
    return {earliest->id.epoch, earliest->id.end};
  }
  return *known;
}

FetchPosition LogView::check(Offset fetch_offset, Epoch last_fetched_epoch) const {
  if (start_ == Offset{0} && fetch_offset == Offset{0}) return {};
  const SnapshotInfo* earliest = earliest_snapshot();
  if (earliest != nullptr && (fetch_offset < start_ || last_fetched_epoch < earliest->id.epoch ||
                              (fetch_offset == start_ && last_fetched_epoch != earliest->id.epoch))) {
    return {.kind = FetchPosition::Kind::snapshot, .diverging = {}, .snapshot = snapshots_.back().id};
  }
  const EpochEnd end = end_of(last_fetched_epoch);
  if (end.epoch != last_fetched_epoch || end.end < fetch_offset) {
    return {.kind = FetchPosition::Kind::diverging, .diverging = end, .snapshot = {}};
  }
  return {};
}

void LogView::appended(Epoch epoch, Offset base, Offset end) {
  HAYWARD_ASSERT(base == end_ && end > base, "batches are appended without gaps");
  epochs_.add(epoch, base);
  end_ = end;
}

void LogView::flushed_to(Offset end) {
  HAYWARD_ASSERT(end <= end_, "R10: flushed beyond what was appended");
  flushed_is(std::max(flushed_, end));
}

void LogView::flushed_is(Offset flushed) {
  flushed_ = flushed;
  if (!must_refetch()) refetch_to_ = Offset{0};
}

void LogView::truncated(Offset end) {
  HAYWARD_ASSERT(end >= start_ && end <= end_, "R8: the log is cut within its bounds");
  epochs_.truncated(end);
  end_ = end;
  flushed_ = std::min(flushed_, end);
}

void LogView::replaced_by(const SnapshotInfo& snapshot) {
  start_ = end_ = snapshot.id.end;
  flushed_is(end_);
  epochs_ = EpochIndex();
  snapshots_.assign(1, snapshot);
}

void LogView::snapshot_written(SnapshotId id, std::int64_t size) {
  HAYWARD_ASSERT(snapshots_.empty() || snapshots_.back().id < id, "R13: snapshots come in order");
  snapshots_.push_back({id, size});
}

void LogView::start_moved(Offset start) {
  start_ = std::max(start_, start);
  epochs_.start_moved(start_);
  std::erase_if(snapshots_, [&](const SnapshotInfo& s) { return s.id.end < start_; });
}

}  // namespace hayward::core::raft

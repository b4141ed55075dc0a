// See snapshotter.h.
#include "engine/core/snapshotter.h"

#include <utility>


namespace hayward::core {

// Only when something new has been appended: the same state is never written twice.
bool Snapshotter::due(MonoTime now) const {
  if (!appended_ || under_way()) return false;
  return bytes_since_ > max_bytes_ || (max_interval_ns_ > 0 && now - last_ >= max_interval_ns_);
}

// Where the image ends: at the log's end on a leader, at what is committed on the others. One from the leader may be
// there already.
bool Snapshotter::may_begin(const Image& image, const raft::LogView& log) const {
  if (image.in_transaction()) return false;  // P10; on a leader none is open between events
  return log.snapshots().empty() || log.snapshots().back().id.end.value <= image.last_offset().value;
}

void Snapshotter::encode(const Time& now, Image& image, const raft::LogView& log, const raft::VoterHistory& voters,
                         std::int64_t last_append_wall_ms) {
  if (due(now.mono) && may_begin(image, log)) {
    const Offset last = image.last_offset();
    const Offset end{last.value + 1};
    id_ = {end, end == log.end() ? log.last_epoch() : log.epochs().at(last).value_or(log.last_epoch())};
    writer_.emplace(image, SnapshotMeta{.epoch = id_.epoch,
                                        .last_contained_wall_ms = last_append_wall_ms,
                                        .now_wall_ms = now.wall_ms,
                                        .kraft_version = voters.kraft_version_at(last),
                                        .voters = voters.voters_at(last).all()});
    last_contained_wall_ms_ = last_append_wall_ms;
    begins_ = true;
    last_ = now.mono;
    bytes_since_ = 0;
    appended_ = false;
  }
  if (!writer_ || slice_ || in_log_) return;
  slice_ = WriteSnapshot{id_, last_contained_wall_ms_, writer_->next(slice_entries_)};
  slice_->begins = std::exchange(begins_, false);
  slice_->ends = writer_->done();
  if (slice_->ends) writer_.reset();
}

void Snapshotter::release(Offset high_watermark, Effects& out) {
  if (!slice_ || (slice_->ends && slice_->id.end > high_watermark)) return;
  out.push_back(std::move(*slice_));
  slice_.reset();
  in_log_ = true;
}

void Snapshotter::written() {
  in_log_ = false;
  writer_.reset();
  slice_.reset();
}

}  // namespace hayward::core

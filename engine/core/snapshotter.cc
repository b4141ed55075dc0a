// See snapshotter.h.
#include "engine/core/snapshotter.h"

#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core {

// Only when something new has been appended: the same state is never written twice.
bool Snapshotter::due(MonoTime now) const {
  if (!appended_ || under_way()) return false;
  return bytes_since_ > max_bytes_ || (max_interval_ns_ > 0 && now - last_ >= max_interval_ns_);
}

void Snapshotter::encode(const Time& now, Image& image, const raft::LogView& log, const raft::VoterHistory& voters,
                         std::int64_t last_append_wall_ms) {
  if (due(now.mono)) {
    HAYWARD_ASSERT(!image.in_transaction(), "P10: no snapshot inside a transaction");
    const Offset last{log.end().value - 1};
    writer_.emplace(image, SnapshotMeta{.epoch = log.last_epoch(),
                                        .last_contained_wall_ms = last_append_wall_ms,
                                        .now_wall_ms = now.wall_ms,
                                        .kraft_version = voters.kraft_version_at(last),
                                        .voters = voters.voters_at(last).all()});
    id_ = {log.end(), log.last_epoch()};
    last_contained_wall_ms_ = last_append_wall_ms;
    begins_ = true;
    last_ = now.mono;
    bytes_since_ = 0;
    appended_ = false;
  }
  if (!writer_ || slice_ || in_log_) return;
  slice_ = WriteSnapshot{id_, last_contained_wall_ms_, writer_->next(slice_partitions_)};
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

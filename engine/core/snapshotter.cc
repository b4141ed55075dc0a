// See snapshotter.h.
#include "engine/core/snapshotter.h"

#include <utility>

#include "engine/core/image/snapshot_writer.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {

// Only when something new has been appended: the same state is never written twice.
bool Snapshotter::due(MonoTime now) const {
  if (!appended_ || writing_ || encoded_) return false;
  return bytes_since_ > max_bytes_ || (max_interval_ns_ > 0 && now - last_ >= max_interval_ns_);
}

void Snapshotter::encode_if_due(const Time& now, const Image& image, const raft::LogView& log,
                                const raft::VoterHistory& voters, std::int64_t last_append_wall_ms) {
  if (!due(now.mono)) return;
  HAYWARD_ASSERT(!image.in_transaction(), "P10: no snapshot inside a transaction");
  const Offset last{log.end().value - 1};
  const SnapshotMeta meta{.epoch = log.last_epoch(),
                          .last_contained_wall_ms = last_append_wall_ms,
                          .now_wall_ms = now.wall_ms,
                          .kraft_version = voters.kraft_version_at(last),
                          .voters = voters.voters_at(last).all()};
  encoded_ = WriteSnapshot{{log.end(), meta.epoch}, last_append_wall_ms, write_snapshot(image, meta)};
  last_ = now.mono;
  bytes_since_ = 0;
  appended_ = false;
}

void Snapshotter::release(Offset high_watermark, Effects& out) {
  if (!encoded_ || encoded_->id.end > high_watermark) return;
  out.push_back(std::move(*encoded_));
  encoded_.reset();
  writing_ = true;
}

}  // namespace hayward::core

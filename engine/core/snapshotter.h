// When a metadata snapshot is due, and what it holds: the image at the log's end between two events, where it is
// the log's state whole and a batch ends (P10). It is encoded in slices, each handed out once the log has written
// the one before, so that memory stays bounded; the last one only once all of it is committed (R13).
// Owner: the node. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/image/image.h"
#include "engine/core/image/snapshot_writer.h"
#include "engine/core/raft/log_view.h"
#include "engine/core/raft/voters.h"
#include "engine/core/start.h"

namespace hayward::core {

class Snapshotter {
 public:
  explicit Snapshotter(const NodeConfig& config)
      : max_bytes_(config.snapshot_bytes),
        max_interval_ns_(ms_to_ns(config.snapshot_interval_ms)),
        slice_entries_(config.snapshot_slice_entries) {}

  // Counting begins: what was loaded after the newest snapshot has been counted by appended().
  void start(MonoTime now) { last_ = now; }
  // A batch of `bytes` is in the log, above the newest snapshot.
  void appended(std::size_t bytes) {
    bytes_since_ += static_cast<std::int64_t>(bytes);
    appended_ = true;
  }
  // After each event: begins a snapshot if one is due and none is under way; encodes the next slice of the one
  // that is, unless the log still has the last one.
  void encode(const Time& now, Image& image, const raft::LogView& log, const raft::VoterHistory& voters,
              std::int64_t last_append_wall_ms);
  // Hands out the slice that is encoded, the last one once the snapshot is committed.
  void release(Offset high_watermark, Effects& out);
  void chunk_written() { in_log_ = false; }
  // The image is about to go back, or to become another one: what is under way is given up. The log may still have a
  // slice; what is begun next begins anew.
  void drop() {
    writer_.reset();
    slice_.reset();
  }
  // The log is done with the whole, well or not; after a failure the next one is due as ever.
  void written();

 private:
  bool due(MonoTime now) const;
  bool may_begin(const Image& image, const raft::LogView& log) const;
  bool under_way() const { return writer_.has_value() || slice_.has_value() || in_log_; }

  std::int64_t max_bytes_;
  std::int64_t max_interval_ns_;  // 0: never by time
  std::size_t slice_entries_;
  std::int64_t bytes_since_ = 0;
  MonoTime last_;
  bool appended_ = false;  // anything, since the last look
  SnapshotId id_;
  std::int64_t last_contained_wall_ms_ = 0;
  bool begins_ = false;                   // nothing of it has been encoded
  std::optional<SnapshotWriter> writer_;  // until all is encoded
  std::optional<WriteSnapshot> slice_;    // encoded and not handed out
  bool in_log_ = false;                   // handed out and not answered
};

}  // namespace hayward::core

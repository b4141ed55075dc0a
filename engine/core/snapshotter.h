// When a metadata snapshot is due, and what it holds. It is encoded at the log's end between two events,
// where the image is the log's state whole and a batch ends (P10), and is written once all of that is
// committed (R13).
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/image/image.h"
#include "engine/core/raft/log_view.h"
#include "engine/core/raft/voters.h"
#include "engine/core/start.h"

namespace hayward::core {

class Snapshotter {
 public:
  explicit Snapshotter(const NodeConfig& config)
      : max_bytes_(config.snapshot_bytes), max_interval_ns_(ms_to_ns(config.snapshot_interval_ms)) {}

  // Counting begins: what was loaded after the newest snapshot has been counted by appended().
  void start(MonoTime now) { last_ = now; }
  // A batch of `bytes` is in the log, above the newest snapshot.
  void appended(std::size_t bytes) {
    bytes_since_ += static_cast<std::int64_t>(bytes);
    appended_ = true;
  }
  // After each event: encodes a snapshot if one is due and none is under way.
  void encode_if_due(const Time& now, const Image& image, const raft::LogView& log, const raft::VoterHistory& voters,
                     std::int64_t last_append_wall_ms);
  // Hands out the encoded snapshot once it is committed.
  void release(Offset high_watermark, Effects& out);
  // The log is done with the one handed out, well or not; after a failure the next one is due as ever.
  void written() { writing_ = false; }

 private:
  bool due(MonoTime now) const;

  std::int64_t max_bytes_;
  std::int64_t max_interval_ns_;  // 0: never by time
  std::int64_t bytes_since_ = 0;
  MonoTime last_;
  bool appended_ = false;  // anything, since the last look
  bool writing_ = false;
  std::optional<WriteSnapshot> encoded_;
};

}  // namespace hayward::core

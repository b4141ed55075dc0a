// A follower whose leader has no longer what it lacks loads the leader's newest snapshot (FetchSnapshot): the bytes go
// to the disk as they come, and become an image of their own; once all of it is on stable storage in place of the log,
// that image is the node's.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/image/image.h"
#include "engine/core/raft/voters.h"
#include "engine/core/types.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

struct NodeState;

// The snapshot under way.
class SnapshotDownload {
 public:
  SnapshotDownload(SnapshotId id, bool unstable_feature_versions) : id_(id), image_(unstable_feature_versions) {
    image_.set_committed(Offset{id.end.value - 1});  // all of it is: nothing will be undone
  }

  SnapshotId id() const { return id_; }
  std::int64_t position() const { return position_; }  // of the next byte
  // The next bytes, cut anywhere. The error is one line.
  std::expected<void, std::string> add(Bytes bytes);
  // Nothing is missing at its end.
  bool whole() const { return rest_.empty() && saw_footer_; }

  // What it adds up to.
  Image& image() { return image_; }
  const raft::VoterSet* voters() const { return voters_ ? &*voters_ : nullptr; }
  std::int16_t kraft_version() const { return kraft_version_; }
  std::int64_t last_contained_wall_ms() const { return last_contained_wall_ms_; }

  bool writing = false;    // the last bytes are on their way to the disk
  std::int64_t size = 0;   // in all, as the leader says; 0: not heard yet

 private:
  std::expected<void, std::string> load(const BatchHeader& header, Bytes batch);

  SnapshotId id_;
  std::int64_t position_ = 0;
  Buffer rest_;  // of a batch that is not whole yet
  Image image_;
  Arena arena_;
  std::optional<raft::VoterSet> voters_;
  std::int16_t kraft_version_ = 0;
  std::int64_t last_contained_wall_ms_ = 0;
  bool saw_footer_ = false;
};

// After each event: asks for the next piece where a follower needs one; gives up what a leader of another epoch began.
// When to look again.
MonoTime poll_download(NodeState& node, const Time& now, Effects& out);
// A FetchSnapshot has been answered, or not.
void download_answered(NodeState& node, const PeerReply& reply, const Time& now, Effects& out);
// A piece is on the disk; with the last one the snapshot is in place of the log.
void download_written(NodeState& node, const SnapshotPartWritten& written, const Time& now, Effects& out);

}  // namespace hayward::core

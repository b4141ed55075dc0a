// What the core knows of the log without reading it: its bounds, epochs and snapshots. It follows the
// effects that the core emits and the events that the log sends.
// Owner: the node. Shard 0.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/raft/epochs.h"
#include "engine/core/start.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

// The checkpoint that `kafka-storage format` makes for a dynamic quorum: voters only, never offered.
inline constexpr SnapshotId bootstrap_snapshot{Offset{0}, Epoch{0}};

// Whether a replica's (fetch offset, last fetched epoch) fits this log.
struct FetchPosition {
  enum class Kind : std::uint8_t { valid, diverging, snapshot };
  Kind kind = Kind::valid;
  EpochEnd diverging;   // where the replica has to cut
  SnapshotId snapshot;  // what it has to load instead
};

class LogView {
 public:
  explicit LogView(const LogState& recovered);

  Offset start() const { return start_; }
  Offset end() const { return end_; }
  Offset flushed() const { return flushed_; }
  const EpochIndex& epochs() const { return epochs_; }
  // The epoch of the record before end(), be it in the log or in a snapshot; 0: nothing was ever written.
  Epoch last_epoch() const;

  // Every snapshot that is complete, ascending, the bootstrap checkpoint included.
  const std::vector<SnapshotInfo>& snapshots() const { return snapshots_; }
  const SnapshotInfo* find_snapshot(SnapshotId id) const;
  // Without the bootstrap checkpoint, which is not for others; nullptr: none.
  const SnapshotInfo* latest_snapshot() const;

  // The raft rules for a replica's position, offset >= 0 and epoch >= 0.
  FetchPosition check(Offset fetch_offset, Epoch last_fetched_epoch) const;

  void appended(Epoch epoch, Offset base, Offset end);
  void flushed_to(Offset end);
  // Everything from `end` on is gone.
  void truncated(Offset end);
  // A leader's snapshot is on its way to the disk, where it takes the log's place: until that is over nothing is
  // fetched, since what was appended meanwhile would be lost with the rest, though the leader of a new epoch may have
  // counted on it.
  void set_loading(bool loading) { loading_ = loading; }
  bool loading() const { return loading_; }
  // Of what this node had flushed a part was lost: until a leader has given it back, its word may not count (S2).
  bool must_refetch() const { return flushed_ < refetch_to_; }
  // The whole log has given way to a snapshot: it begins and ends there.
  void replaced_by(const SnapshotInfo& snapshot);
  void snapshot_written(SnapshotId id, std::int64_t size);
  // Retention: the start moves up, snapshots that end below it are gone.
  void start_moved(Offset start);

 private:
  const SnapshotInfo* earliest_snapshot() const { return snapshots_.empty() ? nullptr : &snapshots_.front(); }
  EpochEnd end_of(Epoch epoch) const;
  void flushed_is(Offset flushed);

  Offset start_;
  Offset end_;
  Offset flushed_;
  Offset refetch_to_;  // 0 once it was reached
  bool loading_ = false;
  EpochIndex epochs_;
  std::vector<SnapshotInfo> snapshots_;
};

}  // namespace hayward::core::raft

// The log of a simulated controller: batches in memory, flushed one group at a time after a while; a crash
// loses what was not flushed.
// Owner: SimController.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/batch.h"
#include "engine/base/prng.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/start.h"
#include "schemas/runtime/bytes.h"

namespace hayward::sim {

class SimLog {
 public:
  explicit SimLog(std::uint64_t seed) : prng_(seed) {}

  // Flushes take between these from now on.
  void set_latency(std::int64_t min_ns, std::int64_t max_ns);

  void append(BatchPtr batch, std::int64_t now_ns);
  void persist(const core::QuorumState& state, std::uint64_t token, std::int64_t now_ns);
  void write_snapshot(core::WriteSnapshot snapshot, std::int64_t now_ns);
  // Batches from `end` on go; a crash before the next flush may bring back those that were on disk.
  void truncate(Offset end);
  // With the last part the snapshot takes the log's place once it is written.
  void write_snapshot_part(core::WriteSnapshotPart part, std::int64_t now_ns);

  // What has completed by `now_ns`, in order.
  std::vector<core::Event> take_completions(std::int64_t now_ns);
  std::int64_t next_completion_ns() const;

  // As after a power cut at any moment: unflushed batches and writes are gone.
  void crash();
  core::LogState state() const;

  // Whole batches from the one that holds `from` up to `to`, at least one, else at most `max_bytes`.
  Buffer read(Offset from, Offset to, std::int32_t max_bytes) const;
  Buffer read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length) const;

  const std::vector<BatchPtr>& batches() const { return batches_; }
  Offset start() const { return start_; }
  Offset end() const { return batches_.empty() ? start_ : Offset{batches_.back()->last.value + 1}; }
  Offset flushed_end() const { return flushed_end_; }
  const std::optional<core::QuorumState>& quorum_state() const { return quorum_state_; }
  // The newest snapshot's batches; nullptr: none.
  const std::vector<Buffer>* newest_snapshot() const;

 private:
  struct Completion {
    std::int64_t at_ns;
    core::Event event;
  };
  void install(core::SnapshotId id);
  void begin_flush(std::int64_t now_ns);
  std::int64_t latency();

  Prng prng_;
  std::int64_t min_latency_ns_ = 100'000;
  std::int64_t max_latency_ns_ = 2'000'000;
  std::vector<BatchPtr> batches_;
  std::int64_t last_persist_ns_ = 0;
  Offset start_{0};
  Offset flushed_end_{0};
  std::vector<BatchPtr> cut_;             // truncated since the last flush, though they were on disk
  std::optional<Completion> flush_;       // in flight
  std::vector<Completion> others_;        // quorum-state and snapshots
  std::optional<core::QuorumState> quorum_state_;
  std::map<std::uint64_t, core::QuorumState> persisting_;  // by token
  std::map<core::SnapshotId, std::vector<Buffer>> snapshots_;
  std::map<core::SnapshotId, std::vector<Buffer>> writing_;
  Buffer loading_;                        // of a snapshot from the leader
};

}  // namespace hayward::sim

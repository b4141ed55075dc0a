// Role: leads its epoch. Knows how far each voter has the log on stable storage, and from that the high
// watermark; remembers the observers that fetch.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/raft/voters.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

// What the leader knows of another replica. Wall times are only for showing; -1: not yet.
struct ReplicaProgress {
  Offset end = no_offset;
  std::int64_t last_fetch_wall_ms = -1;
  std::int64_t last_caught_up_wall_ms = -1;
  Offset leader_end_at_last_fetch = no_offset;
  MonoTime last_fetch;
};

class Leader {
 public:
  // An observer that is silent for so long is forgotten.
  static constexpr std::int64_t observer_session_ms = 300'000;
  // No more are remembered (the one that is silent longest goes): anyone may call itself an observer.
  static constexpr std::size_t max_observers = 10'000;

  // `persist_token` is that of the PersistQuorumState which names this node leader; until it is confirmed
  // nothing may be said or written as leader (R3).
  Leader(ReplicaKey self, Offset epoch_start, std::uint64_t persist_token)
      : self_(self), epoch_start_(epoch_start), persist_token_(persist_token) {}

  std::uint64_t persist_token() const { return persist_token_; }
  bool confirmed() const { return confirmed_; }
  void confirm() { confirmed_ = true; }

  // Offset of the epoch's first record, its LeaderChange.
  Offset epoch_start() const { return epoch_start_; }
  // Every record below it is committed; -1 until a record of this epoch is (R9).
  Offset high_watermark() const { return high_watermark_; }

  // This node's log is on stable storage up to `end` (R10). True if the high watermark moved.
  bool flushed(Offset end, const VoterSet& voters);

  // `replica`, another node, fetches from `fetch_offset`, valid in this log that ends at `log_end`.
  void observer_fetched(const ReplicaKey& replica, Offset fetch_offset, Offset log_end, const Time& now);
  // Those heard of within observer_session_ms, ascending by key.
  std::vector<std::pair<ReplicaKey, ReplicaProgress>> observers(MonoTime now) const;

 private:
  bool update_high_watermark(const VoterSet& voters);
  // Room for one more observer.
  void forget_silent_observers(MonoTime now);

  ReplicaKey self_;
  Offset epoch_start_;
  std::uint64_t persist_token_;
  bool confirmed_ = false;
  Offset flushed_ = no_offset;
  Offset high_watermark_ = no_offset;
  std::map<ReplicaKey, ReplicaProgress> observers_;
};

}  // namespace hayward::core::raft

// Role: leads its epoch. Knows how far each voter has the log on stable storage, and from that the high
// watermark; whether a majority still fetches; remembers the observers that fetch.
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

struct Turn;

// What the leader knows of another replica. Wall times are only for showing; -1: not yet.
struct ReplicaProgress {
  Offset end = no_offset;
  std::int64_t last_fetch_wall_ms = -1;
  std::int64_t last_caught_up_wall_ms = -1;
  Offset leader_end_at_last_fetch = no_offset;
  MonoTime last_fetch;
};

// Of a voter, beside that.
struct VoterProgress : ReplicaProgress {
  DirectoryId directory{};
  MonoTime last_contact;  // its last Fetch or FetchSnapshot; at first when the leader was elected
  MonoTime next_begin;    // BeginQuorumEpoch is due unless it fetches
};

class Leader {
 public:
  // An observer that is silent for so long is forgotten.
  static constexpr std::int64_t observer_session_ms = 300'000;
  // No more are remembered (the one that is silent longest goes): anyone may call itself an observer.
  static constexpr std::size_t max_observers = 10'000;

  // The epoch will begin at `epoch_start`, the end of the log, which is on stable storage up to `flushed`. `granting`:
  // those that voted for it, itself among them.
  Leader(ReplicaKey self, Offset epoch_start, Offset flushed, std::vector<NodeId> granting, const VoterSet& voters,
         MonoTime now);

  // Offset of the epoch's first record, its LeaderChange.
  Offset epoch_start() const { return epoch_start_; }
  const std::vector<NodeId>& granting() const { return granting_; }
  // Every record below it is committed; -1 until a record of this epoch is (R9).
  Offset high_watermark() const { return high_watermark_; }

  // This node's log is on stable storage up to `end` (R10). True if the high watermark moved.
  bool flushed(Offset end, const VoterSet& voters);
  // The voter set is another one, or may be.
  void voters_changed(const VoterSet& voters, MonoTime now);

  // `replica`, another node, fetches from `fetch_offset`, valid in this log that ends at `log_end`: a voter has all
  // below that on stable storage (R11). True if the high watermark moved.
  bool fetched(const ReplicaKey& replica, Offset fetch_offset, Offset log_end, const VoterSet& voters, const Time& now);
  // It asks for something, at least (a snapshot).
  void heard_of(const ReplicaKey& replica, const VoterSet& voters, MonoTime now);

  // Below kraft.version 1 what a voter says of itself is kept here, for the voter set that an upgrade puts into the log.
  void note_update(Voter voter) { updates_[voter.id] = std::move(voter); }
  // nullptr: that voter has not said anything to this leader.
  const Voter* update_of(NodeId id) const;

  // nullptr: it is not known, or is this node.
  const VoterProgress* voter(NodeId id) const;
  // Whether an observer has had all of the log lately.
  bool has_caught_up(const ReplicaKey& observer, MonoTime now) const;
  // Observers heard of within observer_session_ms, ascending by key.
  std::vector<std::pair<ReplicaKey, ReplicaProgress>> observers(MonoTime now) const;
  // Since when no majority of the voters has been heard of; for a lone voter never.
  MonoTime majority_heard_at(const VoterSet& voters) const;
  // The other voters, the one that has most of the log first.
  std::vector<ReplicaKey> successors(const VoterSet& voters) const;

  friend MonoTime poll_leader(Turn& turn);

 private:
  bool update_high_watermark(const VoterSet& voters);
  // Room for one more observer.
  void forget_silent_observers(MonoTime now);

  ReplicaKey self_;
  Offset epoch_start_;
  Offset flushed_;
  std::vector<NodeId> granting_;
  Offset high_watermark_ = no_offset;
  std::map<NodeId, VoterProgress> voters_;  // the others
  std::map<ReplicaKey, ReplicaProgress> observers_;
  std::map<NodeId, Voter> updates_;
};

// Announces itself to voters that do not fetch, and resigns when too few do (R16); when to look again.
MonoTime poll_leader(Turn& turn);

}  // namespace hayward::core::raft

// This node's place in the quorum: epoch, vote, role, and the one way from role to role. Whatever of it must last
// is asked for by PersistQuorumState; until that is confirmed the node says nothing that implies it (R3): whoever
// sends for it looks at durable().
// Owner: the node. Shard 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "engine/core/effect.h"
#include "engine/core/raft/candidate.h"
#include "engine/core/raft/follower.h"
#include "engine/core/raft/leader.h"
#include "engine/core/raft/prospective.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/raft/resigned.h"
#include "engine/core/raft/unattached.h"
#include "engine/core/raft/voters.h"
#include "engine/core/types.h"

namespace hayward::core::raft {

using Role = std::variant<Unattached, Prospective, Candidate, Leader, Follower, Resigned>;

class Quorum {
 public:
  // In the epoch that quorum-state or the log's last record knows, whichever is higher, without a timer yet: a
  // node that led an epoch before it was restarted has resigned from it (R12).
  Quorum(ReplicaKey self, const VoterHistory& voters, const std::optional<QuorumState>& stored, Epoch log_epoch);

  const ReplicaKey& self() const { return self_; }
  Epoch epoch() const { return epoch_; }
  // The leader of epoch(); no_node: not known.
  NodeId leader() const;
  // Where it said that it is; nullptr: it did not, or it is this node. (The voter set may know.)
  const std::vector<Endpoint>* leader_endpoints() const;
  // nullptr unless this node leads and quorum-state says so.
  Leader* leading();
  const Leader* leading() const { return const_cast<Quorum*>(this)->leading(); }
  const Role& role() const { return role_; }
  template <class R>
  R* as() { return std::get_if<R>(&role_); }
  template <class R>
  const R* as() const { return std::get_if<R>(&role_); }

  bool is_voter() const { return voters_.last().has(self_); }
  // A voter stands for election; so does one whose removal is not known to be committed: it may have the longest log.
  bool may_stand() const { return voters_.may_count(self_); }
  bool is_only_voter() const { return is_voter() && voters_.last().size() == 1; }
  // Leads, or follows a leader that it hears from: a stranger's word does not move it.
  bool in_touch(MonoTime now) const;
  // Whom this replica voted for in epoch().
  std::optional<ReplicaKey> voted() const;

  // --- from role to role. What is not Kafka's state machine is a programmer error (R18); epochs never fall (R4).
  // Into `epoch`, above ours, or out of Prospective (the vote stays). `leader`: known to lead it, but not where.
  void unattached(Epoch epoch, NodeId leader, MonoTime election_at, Effects& out);
  // Votes for `candidate` in this epoch; asked only where may_vote_for() says so.
  void vote_for(const ReplicaKey& candidate, MonoTime election_at, Effects& out);
  void prospective(MonoTime timeout_at);
  // Into the next epoch, with a vote for itself. False, and nothing is done: there is no next epoch (the last one is
  // 2147483647).
  [[nodiscard]] bool candidate(MonoTime timeout_at, Effects& out);
  // A majority has voted for this candidate. `log_end`: where the epoch will begin.
  void lead(Offset log_end, Offset flushed, const Time& now, Effects& out);
  // `leader` leads `epoch`, ours or a higher one, and is found at `endpoints` (not empty).
  void follow(Epoch epoch, NodeId leader, std::vector<Endpoint> endpoints, MonoTime fetch_deadline, Effects& out);
  // Leads no more. quorum-state stays: it names the leader of the epoch, which the next start must see.
  void resign(MonoTime election_at);

  // By the standard vote's rule, the log aside: a vote once given stays, and nobody is voted for against a leader.
  bool may_vote_for(const ReplicaKey& candidate) const;

  // quorum-state holds what the token stands for.
  void persisted(std::uint64_t token) { durable_token_ = std::max(durable_token_, token); }
  bool durable() const { return durable_token_ == last_token_; }
  // Asks for the present state to be written, unless that was what was written last.
  void persist(Effects& out);

 private:
  QuorumState present() const;

  ReplicaKey self_;
  const VoterHistory& voters_;
  Epoch epoch_;
  Role role_;
  QuorumState written_;  // what was last asked to be written
  std::uint64_t last_token_ = 0;
  std::uint64_t durable_token_ = 0;
};

}  // namespace hayward::core::raft

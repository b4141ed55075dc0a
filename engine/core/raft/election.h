// How an election stands: who of the voters has granted its vote and who has refused. Counted with the voter set of
// the moment, for that may change meanwhile (R14).
// Owner: the candidate or prospective. Shard 0.
#pragma once

#include <set>

#include "engine/core/raft/voters.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

class Election {
 public:
  void granted_by(NodeId voter) { granted_.insert(voter); }
  void refused_by(NodeId voter) { refused_.insert(voter); }
  bool answered(NodeId voter) const { return granted_.contains(voter) || refused_.contains(voter); }
  bool refused_by_any() const { return !refused_.empty(); }
  const std::set<NodeId>& granted() const { return granted_; }

  bool won(const VoterSet& voters) const { return count(voters, granted_) >= voters.majority(); }
  // Those that have not refused are too few.
  bool lost(const VoterSet& voters) const { return voters.size() - count(voters, refused_) < voters.majority(); }

 private:
  static std::size_t count(const VoterSet& voters, const std::set<NodeId>& ids) {
    std::size_t n = 0;
    for (const Voter& voter : voters.all()) n += ids.contains(voter.id) ? 1 : 0;
    return n;
  }

  std::set<NodeId> granted_;
  std::set<NodeId> refused_;
};

}  // namespace hayward::core::raft

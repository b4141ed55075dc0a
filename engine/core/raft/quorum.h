// This node's place in the quorum: epoch, vote, role, and the one way from role to role. What quorum-state
// must hold before a role counts is asked for by PersistQuorumState; the role counts once that is confirmed.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "engine/core/effect.h"
#include "engine/core/raft/candidate.h"
#include "engine/core/raft/leader.h"
#include "engine/core/raft/prospective.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/raft/resigned.h"
#include "engine/core/raft/unattached.h"
#include "engine/core/raft/voters.h"
#include "engine/core/types.h"

namespace hayward::core::raft {

using Role = std::variant<Unattached, Prospective, Candidate, Leader, Resigned>;

class Quorum {
 public:
  // Unattached in the epoch that quorum-state or the log's last record knows, whichever is higher: a
  // node that led an epoch before it was restarted never leads that one again (R12).
  Quorum(ReplicaKey self, const VoterHistory& voters, const std::optional<QuorumState>& stored, Epoch log_epoch);

  const ReplicaKey& self() const { return self_; }
  Epoch epoch() const { return epoch_; }
  // The leader of epoch(); no_node: not known.
  NodeId leader() const { return leading() != nullptr ? self_.id : no_node; }
  // nullptr unless this node leads and quorum-state says so.
  Leader* leading();
  const Leader* leading() const { return const_cast<Quorum*>(this)->leading(); }
  const Role& role() const { return role_; }

  // Stands for election in the next epoch. False: there is no next epoch (the last one is 2147483647).
  [[nodiscard]] bool stand(Effects& out);
  // quorum-state holds what the token stands for; `log_end` is the log's. True if this node now leads.
  bool persisted(std::uint64_t token, Offset log_end, Effects& out);
  // Leads no more. quorum-state stays: it names the leader of the epoch, which the next start must see.
  void resign();

 private:
  std::uint64_t persist(NodeId leader, NodeId voted, Effects& out);

  ReplicaKey self_;
  const VoterHistory& voters_;
  Epoch epoch_;
  Role role_;
  std::uint64_t last_token_ = 0;
};

}  // namespace hayward::core::raft

// Role: asks the voters whether they would vote for it (pre-vote, KIP-996) before it disturbs anyone: its
// epoch stays what it was (R15). A lone voter has its majority at once.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/raft/election.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/types.h"

namespace hayward::core::raft {

struct Turn;

struct Prospective {
  std::optional<ReplicaKey> voted;         // kept from before: the epoch is the same
  NodeId leader = no_node;                 // of this epoch, which has fallen silent
  std::vector<Endpoint> leader_endpoints;  // empty: not known
  bool leader_gone = false;                // it refused our dial, or said that it resigns
  MonoTime timeout_at = mono_never;
  Election election;
};

// Asks for pre-votes, and counts them; when to look again.
MonoTime poll_prospective(Turn& turn);

}  // namespace hayward::core::raft

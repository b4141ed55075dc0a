// Role: asks the voters whether they would vote for it (pre-vote, KIP-996) before it disturbs anyone: its
// epoch stays what it was. A lone voter has its majority at once.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <optional>

#include "engine/core/raft/replica_key.h"

namespace hayward::core::raft {

struct Prospective {
  std::optional<ReplicaKey> voted;  // kept from before: the epoch is the same
};

}  // namespace hayward::core::raft

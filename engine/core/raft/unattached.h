// Role: in an epoch without a known leader. Waits for its election timeout, then becomes prospective.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <optional>

#include "engine/core/raft/replica_key.h"

namespace hayward::core::raft {

struct Unattached {
  std::optional<ReplicaKey> voted;  // whom this replica voted for in this epoch
};

}  // namespace hayward::core::raft

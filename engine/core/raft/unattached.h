// Role: in an epoch whose leader it cannot reach or does not know. A voter waits for its election timeout, then
// becomes prospective; meanwhile, and an observer for as long as it takes, it asks around for the leader (Fetch).
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <optional>

#include "engine/base/time.h"
#include "engine/core/raft/replica_key.h"

namespace hayward::core::raft {

struct Turn;

struct Unattached {
  std::optional<ReplicaKey> voted;  // whom this replica voted for in this epoch
  NodeId leader = no_node;          // of this epoch, though nobody has told where it is
  MonoTime election_at = mono_never;
};

// What an unattached replica does now; when to look again.
MonoTime poll_unattached(Turn& turn);

}  // namespace hayward::core::raft

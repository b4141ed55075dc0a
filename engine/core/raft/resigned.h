// Role: has led this epoch and leads no more. It keeps the epoch and never leads it again (R12); it tells the voters
// that it is over, and who of them knows most, until they have heard it or its election timeout is over.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <set>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/raft/replica_key.h"

namespace hayward::core::raft {

struct Turn;

struct Resigned {
  MonoTime election_at = mono_never;
  std::vector<ReplicaKey> preferred;  // successors, best first
  std::set<NodeId> heard;             // voters that know of it
};

// Tells the voters; when to look again.
MonoTime poll_resigned(Turn& turn);

}  // namespace hayward::core::raft

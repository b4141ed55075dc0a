// Role: stands in an epoch of its own, which it has voted for. The vote counts, also with itself, only once
// quorum-state holds it (R2, R3).
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <cstdint>

namespace hayward::core::raft {

struct Candidate {
  std::uint64_t persist_token = 0;  // of the PersistQuorumState with epoch and vote
};

}  // namespace hayward::core::raft

// Role: stands in an epoch of its own, which it has voted for. The vote counts, also with itself, only once
// quorum-state holds it (R2, R3).
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/raft/election.h"

namespace hayward::core::raft {

struct Turn;

struct Candidate {
  MonoTime timeout_at = mono_never;  // brought forward once the election is contested, and once it is lost
  bool contested = false;  // somebody has refused: who has not answered yet may never do
  bool lost = false;
  Election election;
};

// Asks for votes, and counts them; when to look again.
MonoTime poll_candidate(Turn& turn);

}  // namespace hayward::core::raft

// See candidate.h.
#include "engine/core/raft/candidate.h"

#include <algorithm>

#include "engine/core/raft/turn.h"
#include "engine/core/raft/vote.h"

namespace hayward::core::raft {

MonoTime poll_candidate(Turn& turn) {
  Candidate& candidate = *turn.quorum.as<Candidate>();
  if (!turn.quorum.durable()) return mono_never;
  const VoterSet& voters = turn.voters.last();
  if (candidate.election.won(voters)) {
    turn.quorum.lead(turn.log.end(), turn.log.flushed(), turn.now, turn.out);
    return turn.now.mono;
  }
  if (!candidate.contested && candidate.election.refused_by_any()) {
    candidate.contested = true;
    const std::int64_t timeout_ms = turn.config.election_timeout_ms;
    candidate.timeout_at = std::min(candidate.timeout_at, turn.after_ms(timeout_ms / 4, timeout_ms / 2));
  }
  if (!candidate.lost && candidate.election.lost(voters)) {
    candidate.lost = true;
    candidate.timeout_at = std::min(candidate.timeout_at, turn.after_ms(50, 150));
  }
  if (turn.now.mono >= candidate.timeout_at) {
    if (may_stand(turn)) {
      turn.quorum.prospective(turn.election_timeout());
    } else if (!in_last_epoch(turn)) {  // removed meanwhile
      turn.quorum.unattached(Epoch{turn.quorum.epoch().value + 1}, no_node, mono_never, turn.out);
    } else {
      return mono_never;
    }
    return turn.now.mono;
  }
  return std::min(ask_for_votes(turn, candidate.election, false), candidate.timeout_at);
}

}  // namespace hayward::core::raft

// See unattached.h.
#include "engine/core/raft/unattached.h"

#include "engine/core/raft/fetch_from_leader.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {

MonoTime poll_unattached(Turn& turn) {
  const auto* unattached = turn.quorum.as<Unattached>();
  if (turn.stopping) return mono_never;
  if (!may_stand(turn)) return ask_around(turn);
  if (turn.now.mono >= unattached->election_at || turn.quorum.is_only_voter()) {
    turn.quorum.prospective(turn.election_timeout());
    return turn.now.mono;
  }
  // Whoever became a voter meanwhile has no timeout yet.
  if (unattached->election_at == mono_never) turn.quorum.as<Unattached>()->election_at = turn.election_timeout();
  const MonoTime ask_at = ask_around(turn);
  return std::min(ask_at, turn.quorum.as<Unattached>()->election_at);
}

}  // namespace hayward::core::raft

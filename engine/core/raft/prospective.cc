// See prospective.h.
#include "engine/core/raft/prospective.h"

#include <algorithm>

#include "engine/core/raft/turn.h"
#include "engine/core/raft/vote.h"
#include "schemas/runtime/assert.h"

namespace hayward::core::raft {
namespace {

// Back to where it came from, to try again later.
void give_up(Turn& turn) {
  const Prospective& prospective = *turn.quorum.as<Prospective>();
  if (prospective.leader == no_node || prospective.leader_endpoints.empty()) {
    turn.quorum.unattached(turn.quorum.epoch(), prospective.leader, turn.election_timeout(), turn.out);
    return;
  }
  const bool gone = prospective.leader_gone;
  turn.quorum.follow(turn.quorum.epoch(), prospective.leader, prospective.leader_endpoints, turn.fetch_timeout(),
                     turn.out);
  if (!gone) return;
  // The others have only not noticed yet.
  auto* follower = turn.quorum.as<Follower>();
  follower->leader_gone = true;
  follower->early_election_at = turn.after_ms(50, 150);
}

}  // namespace

MonoTime poll_prospective(Turn& turn) {
  Prospective& prospective = *turn.quorum.as<Prospective>();
  const VoterSet& voters = turn.voters.last();
  if (!may_stand(turn)) {
    give_up(turn);
    return turn.now.mono;
  }
  if (in_last_epoch(turn)) {  // nobody can be elected any more
    if (prospective.timeout_at != mono_never) {
      turn.log_line(LogLine::Level::error, "the quorum's epoch has reached its end, 2147483647");
    }
    prospective.timeout_at = mono_never;
    return mono_never;
  }
  if (prospective.election.won(voters)) {
    const bool stands = turn.quorum.candidate(turn.election_timeout(), turn.out);
    HAYWARD_ASSERT(stands, "there is an epoch after this one");
    return turn.now.mono;
  }
  if (prospective.election.lost(voters) || turn.now.mono >= prospective.timeout_at) {
    give_up(turn);
    return turn.now.mono;
  }
  return std::min(ask_for_votes(turn, prospective.election, true), prospective.timeout_at);
}

}  // namespace hayward::core::raft

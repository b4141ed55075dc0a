// See resigned.h.
#include "engine/core/raft/resigned.h"

#include <algorithm>

#include "engine/core/raft/end_quorum_epoch.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {

namespace {

bool others_have_heard(const Turn& turn, const Resigned& resigned) {
  return std::ranges::all_of(other_voters(turn), [&](const Voter* voter) { return resigned.heard.contains(voter->id); });
}

}  // namespace

MonoTime poll_resigned(Turn& turn) {
  auto* resigned = turn.quorum.as<Resigned>();
  if (resigned->election_at == mono_never) resigned->election_at = turn.election_timeout();  // after a start
  // Who is no voter any more has only to tell the others; then it looks for the next leader.
  if (!may_stand(turn) && others_have_heard(turn, *resigned)) {
    resigned->election_at = std::min(resigned->election_at, turn.now.mono);
  }
  // The epoch goes up: in this one others may still take this node for its leader.
  const bool last_epoch = in_last_epoch(turn);
  if (turn.now.mono >= resigned->election_at && !turn.stopping && !last_epoch) {
    turn.quorum.unattached(Epoch{turn.quorum.epoch().value + 1}, no_node,
                           may_stand(turn) ? turn.election_timeout() : mono_never, turn.out);
    return turn.now.mono;
  }
  MonoTime next = turn.stopping || last_epoch ? mono_never : resigned->election_at;
  for (const Voter* voter : other_voters(turn)) {
    if (resigned->heard.contains(voter->id)) continue;
    const MonoTime free_at = turn.links.free_at(voter->id, Lane::requests);
    if (turn.now.mono >= free_at)
      send_end_quorum_epoch(turn, *voter);
    else
      next = std::min(next, free_at);
  }
  return next;
}

}  // namespace hayward::core::raft

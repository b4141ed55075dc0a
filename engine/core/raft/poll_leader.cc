// What a leader does by itself (leader.h).
// Owner: engine/core/raft. Shard 0.
#include <algorithm>

#include "engine/core/raft/begin_quorum_epoch.h"
#include "engine/core/raft/leader.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {

MonoTime poll_leader(Turn& turn) {
  Leader* leader = turn.quorum.leading();
  if (leader == nullptr) return mono_never;  // until quorum-state says so
  const VoterSet& voters = turn.voters.last();
  const MonoTime heard_at = leader->majority_heard_at(voters);
  MonoTime next = mono_never;
  if (heard_at != mono_never) {
    next = heard_at + ms_to_ns(turn.config.fetch_timeout_ms) * 3 / 2;
    if (turn.now.mono >= next) {
      resign(turn, "a majority of the voters has not fetched for 1.5 times controller.quorum.fetch.timeout.ms");
      return turn.now.mono;
    }
  }
  if (!voters.has(leader->self_) && leader->high_watermark() > turn.voters.last_offset()) {
    resign(turn, "it is no voter any more");
    return turn.now.mono;
  }
  for (const Voter* voter : other_voters(turn)) {
    VoterProgress& progress = leader->voters_.at(voter->id);
    const MonoTime free_at = turn.links.free_at(voter->id, Lane::requests);
    if (turn.now.mono >= std::max(progress.next_begin, free_at) &&
        send_begin_quorum_epoch(turn, *voter)) {
      progress.next_begin = turn.after_ms(turn.config.fetch_timeout_ms / 2);
    }
    const MonoTime again = turn.links.in_flight(voter->id, Lane::requests) ? mono_never : free_at;
    next = std::min(next, std::max(progress.next_begin, again));
  }
  return next;
}

}  // namespace hayward::core::raft

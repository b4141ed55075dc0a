// See follower.h.
#include "engine/core/raft/follower.h"

#include <algorithm>

#include "engine/core/raft/fetch_from_leader.h"
#include "engine/core/raft/turn.h"
#include "engine/core/raft/voter_requests.h"

namespace hayward::core::raft {
namespace {

constexpr std::int64_t rank_step_ms = 40;
constexpr std::int64_t rank_spread_ms = 20;

}  // namespace

void leader_refused_dial(Turn& turn) {
  auto* follower = turn.quorum.as<Follower>();
  const std::int64_t wait_ms = rank_without(turn, follower->leader) * rank_step_ms;
  follower->leader_gone = true;
  if (follower->early_election_at == mono_never) {
    follower->early_election_at = turn.after_ms(wait_ms, wait_ms + rank_spread_ms);
  }
}

MonoTime poll_follower(Turn& turn) {
  const auto* follower = turn.quorum.as<Follower>();
  if (turn.stopping) return mono_never;
  const MonoTime voter_request_at = poll_voter_requests(turn);
  // One after the other: those who stand at the same moment vote for themselves, and nobody wins.
  const MonoTime silent_at = follower->fetch_deadline + ms_to_ns(rank_without(turn, follower->leader) * rank_step_ms);
  const MonoTime election_at = std::min(silent_at, follower->early_election_at);
  const bool overdue = turn.now.mono >= election_at;
  if (!may_stand(turn)) {
    // Nobody waits for an observer: it goes on asking, the others too once its leader is silent.
    return std::min({voter_request_at, fetch_from_leader(turn), overdue ? ask_around(turn) : election_at});
  }
  if (overdue) {
    if (turn.search.begins(follower->leader)) {
      turn.log_line(LogLine::Level::info, name_of(follower->leader) +
                                              (follower->leader_gone ? " is gone: asking for votes" : " is silent: asking for votes"));
    }
    turn.quorum.prospective(turn.election_timeout());
    return turn.now.mono;
  }
  MonoTime next = std::min({voter_request_at, election_at, fetch_from_leader(turn)});
  // While the leader cannot be reached, another voter may know of a new one.
  if (turn.links.free_at(follower->leader, Lane::fetches) > turn.now.mono &&
      !turn.links.in_flight(follower->leader, Lane::fetches)) {
    next = std::min(next, ask_around(turn));
  }
  return next;
}

}  // namespace hayward::core::raft

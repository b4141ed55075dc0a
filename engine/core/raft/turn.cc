// See turn.h.
#include "engine/core/raft/turn.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "engine/core/raft/begin_quorum_epoch.h"
#include "engine/core/raft/control_records.h"
#include "engine/core/raft/end_quorum_epoch.h"
#include "engine/core/raft/fetch_from_leader.h"
#include "engine/core/raft/vote.h"
#include "engine/core/raft/voter_requests.h"
#include "schemas/batch/control.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/vote_request.h"

namespace hayward::core::raft {

MonoTime Turn::after_ms(std::int64_t low, std::int64_t high) {
  const std::int64_t span_ns = std::max<std::int64_t>(1, ms_to_ns(high - low));
  return now.mono + ms_to_ns(low) + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(span_ns)));
}

Voter self_voter(const NodeConfig& config) {
  return {config.node_id, config.directory_id, config.advertised, min_kraft_version, max_kraft_version};
}

const Endpoint* reachable(const Turn& turn, std::span<const Endpoint> endpoints) {
  if (endpoints.empty()) return nullptr;
  const auto& own = turn.config.advertised;
  const auto at = std::find_if(endpoints.begin(), endpoints.end(),
                               [&](const Endpoint& e) { return !own.empty() && e.listener == own.front().listener; });
  return at == endpoints.end() ? &endpoints.front() : &*at;
}

std::vector<const Voter*> other_voters(const Turn& turn) {
  std::vector<const Voter*> others;
  for (const Voter& voter : turn.voters.last().all()) {
    if (voter.id != turn.quorum.self().id) others.push_back(&voter);
  }
  return others;
}

int rank_without(const Turn& turn, NodeId leader) {
  int rank = 0;
  for (const Voter* voter : other_voters(turn)) rank += voter->id != leader && voter->id < turn.quorum.self().id;
  return rank;
}

std::string name_of(NodeId node) { return "controller " + std::to_string(node.value); }

bool learn(Turn& turn, Epoch epoch, NodeId leader, std::span<const Endpoint> endpoints) {
  Quorum& quorum = turn.quorum;
  if (epoch < quorum.epoch()) return false;
  const bool higher = epoch > quorum.epoch();
  if (leader == quorum.self().id) leader = no_node;  // it is not so, or was so before a restart
  std::vector<Endpoint> where(endpoints.begin(), endpoints.end());
  if (const Voter* voter = turn.voters.last().find(leader); where.empty() && voter != nullptr) where = voter->endpoints;

  if (!higher && leader != no_node && quorum.leader() != no_node && leader != quorum.leader()) return false;
  const bool may_follow = leader != no_node && !where.empty() &&
                          (higher || (quorum.as<Leader>() == nullptr && quorum.as<Resigned>() == nullptr &&
                                      quorum.as<Follower>() == nullptr));
  if (may_follow && quorum.as<Prospective>() != nullptr && !higher && leader == quorum.leader()) return true;
  if (may_follow) {
    turn.log_line(LogLine::Level::info, "following " + name_of(leader) + " in epoch " + std::to_string(epoch.value));
    quorum.follow(epoch, leader, std::move(where), turn.fetch_timeout(), turn.out);
    turn.links.wake(leader);
  } else if (higher) {
    quorum.unattached(epoch, leader, may_stand(turn) ? turn.election_timeout() : mono_never, turn.out);
  }
  return true;
}

bool in_last_epoch(const Turn& turn) {
  return turn.quorum.epoch().value == std::numeric_limits<Epoch::value_type>::max();
}

bool may_be_heard(const Turn& turn) { return turn.quorum.is_only_voter() || !turn.log.must_refetch(); }

bool may_stand(const Turn& turn) { return turn.quorum.may_stand() && may_be_heard(turn); }

bool may_raise_epoch(const Turn& turn, const ReplicaKey& sender, Epoch epoch) {
  if (std::int64_t{epoch.value} - turn.quorum.epoch().value > longest_leap) return false;
  return turn.voters.last().may_be(sender) || !turn.quorum.in_touch(turn.now.mono);
}

void resign(Turn& turn, const std::string& why) {
  turn.log_line(LogLine::Level::warn,
                "no longer leader of epoch " + std::to_string(turn.quorum.epoch().value) + ": " + why);
  turn.quorum.resign(turn.election_timeout());
}

bool begin(Turn& turn) {
  Quorum& quorum = turn.quorum;
  if (quorum.is_only_voter()) {
    quorum.prospective(turn.election_timeout());
    return quorum.candidate(turn.election_timeout(), turn.out);
  }
  quorum.persist(turn.out);
  if (const auto* unattached = quorum.as<Unattached>(); unattached != nullptr && unattached->leader != no_node) {
    learn(turn, quorum.epoch(), unattached->leader, {});
  }
  return true;
}

MonoTime poll(Turn& turn) {
  // A role that ends at once makes way for the next; each has its turn at most twice.
  MonoTime next = mono_never;
  for (int i = 0; i < 4; ++i) {
    const std::size_t role = turn.quorum.role().index();
    const Epoch epoch = turn.quorum.epoch();
    if (turn.quorum.as<Unattached>() != nullptr) next = poll_unattached(turn);
    else if (turn.quorum.as<Prospective>() != nullptr) next = poll_prospective(turn);
    else if (turn.quorum.as<Candidate>() != nullptr) next = poll_candidate(turn);
    else if (turn.quorum.as<Follower>() != nullptr) next = poll_follower(turn);
    else if (turn.quorum.as<Leader>() != nullptr) next = poll_leader(turn);
    else next = poll_resigned(turn);
    if (turn.quorum.role().index() == role && turn.quorum.epoch() == epoch) break;
  }
  turn.search.look(turn);
  return next;
}

void peer_replied(Turn& turn, const PeerReply& reply) {
  const std::optional<InFlight> request = turn.links.answered(reply, turn.now.mono, turn.prng);
  if (!request) return;
  if (reply.failed) {
    if (reply.highest_version < 0) {
      turn.search.heard(reply.peer, reply.refused ? "refuses the connection" : "does not answer");
    }
    const auto* follower = turn.quorum.as<Follower>();
    if (reply.refused && follower != nullptr && follower->leader == reply.peer) leader_refused_dial(turn);
    return;
  }
  switch (request->api_key) {
    case messages::VoteRequest::api_key:
      return vote_answered(turn, reply, *request);
    case messages::BeginQuorumEpochRequest::api_key:
      return begin_quorum_epoch_answered(turn, reply);
    case messages::EndQuorumEpochRequest::api_key:
      return end_quorum_epoch_answered(turn, reply);
    case messages::FetchRequest::api_key:
      return fetch_answered(turn, reply, *request);
    case messages::UpdateRaftVoterRequest::api_key:
    case messages::AddRaftVoterRequest::api_key:
    case messages::RemoveRaftVoterRequest::api_key:
      return voter_request_answered(turn, reply);
    default:
      return;
  }
}

void flushed(Turn& turn, Offset end) {
  turn.log.flushed_to(end);
  Leader* leader = turn.quorum.as<Leader>();
  if (leader == nullptr) return;
  leader->flushed(turn.log.flushed(), turn.voters.last());
  if (turn.quorum.leading() != nullptr) turn.committed = std::max(turn.committed, leader->high_watermark());
}

void batch_appended(Turn& turn, BatchPtr batch) {
  turn.log.appended(batch->epoch, batch->base, Offset{batch->last.value + 1});
  if (Leader* leader = turn.quorum.as<Leader>()) leader->voters_changed(turn.voters.last(), turn.now.mono);
  turn.tail.add(std::move(batch));
}

}  // namespace hayward::core::raft

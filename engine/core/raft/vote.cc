// See vote.h.
#include "engine/core/raft/vote.h"

#include <algorithm>
#include <utility>

#include "engine/core/raft/election_answer.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {
namespace {

using messages::VoteRequest;
using messages::VoteResponse;

constexpr std::int16_t first_with_pre_vote = 2;

// A candidate's log position must be possible, and its id one that a node can have.
bool well_formed(const VoteRequest::PartitionData& p) {
  if (p.last_offset < Offset{0} || p.last_offset_epoch < Epoch{0} || p.replica_id < NodeId{0}) return false;
  return p.pre_vote ? p.last_offset_epoch <= p.replica_epoch : p.last_offset_epoch < p.replica_epoch;
}

bool up_to_date(const Turn& turn, const VoteRequest::PartitionData& p) {
  return std::pair(p.last_offset_epoch, p.last_offset) >= std::pair(turn.log.last_epoch(), turn.log.end());
}

// Nobody's state changes; a follower that hears from its leader disturbs nobody (R15).
bool grants_pre_vote(const Turn& turn, const VoteRequest::PartitionData& p) {
  if (turn.quorum.as<Leader>() != nullptr || !may_be_heard(turn) || !up_to_date(turn, p)) return false;
  const auto* follower = turn.quorum.as<Follower>();
  return follower == nullptr || !follower->in_touch(turn.now.mono);
}

bool grants_vote(Turn& turn, const ReplicaKey& candidate, const VoteRequest::PartitionData& p) {
  if (!may_be_heard(turn) || !turn.quorum.may_vote_for(candidate) || !up_to_date(turn, p)) return false;
  turn.quorum.vote_for(candidate, may_stand(turn) ? turn.election_timeout() : mono_never, turn.out);
  return true;
}

VoteRequest make_request(const Turn& turn, const Voter& voter, bool pre_vote) {
  VoteRequest request;
  request.cluster_id = turn.config.cluster_id;
  request.voter_id = voter.id;
  VoteRequest::PartitionData partition;
  partition.partition_index = metadata_partition;
  partition.replica_epoch = turn.quorum.epoch();
  partition.replica_id = turn.quorum.self().id;
  partition.replica_directory_id = turn.quorum.self().directory;
  partition.voter_directory_id = voter.directory;
  partition.last_offset_epoch = turn.log.last_epoch();
  partition.last_offset = turn.log.end();
  partition.pre_vote = pre_vote;
  add_metadata_partition(request, partition, turn.arena);
  return request;
}

// The election that the answer counts in; nullptr: it is over.
Election* election_of(Turn& turn, const InFlight& request) {
  if (request.epoch != turn.quorum.epoch()) return nullptr;
  if (auto* candidate = turn.quorum.as<Candidate>()) return request.pre_vote ? nullptr : &candidate->election;
  if (auto* prospective = turn.quorum.as<Prospective>()) return request.pre_vote ? &prospective->election : nullptr;
  return nullptr;
}

}  // namespace

VoteResponse vote(Turn& turn, const RaftCall& call, const VoteRequest& request) {
  const RaftView view = turn.view();
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<VoteResponse>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || !well_formed(*p)) return refuse_all<VoteResponse>(ErrorCode::invalid_request);

  const ReplicaKey candidate{p->replica_id, p->replica_directory_id};
  const auto answer = [&](ErrorCode error) {
    return answer_partition<VoteResponse>(view, call, error, candidate.id != view.quorum.leader());
  };
  // Somebody else with our id: it must not be told that it leads (P4).
  if (candidate.id == view.quorum.self().id) {
    return answer_partition<VoteResponse>(view, call, ErrorCode::invalid_voter_key, false);
  }
  if (p->replica_epoch < view.quorum.epoch()) return answer(ErrorCode::fenced_leader_epoch);
  if (!addresses({request.voter_id, p->voter_directory_id}, view.quorum.self())) {
    return answer(ErrorCode::invalid_voter_key);
  }
  if (p->replica_epoch > view.quorum.epoch()) {
    if (!may_raise_epoch(turn, candidate, p->replica_epoch)) return answer(ErrorCode::unknown_leader_epoch);
    learn(turn, p->replica_epoch, no_node, {});
  }
  const bool granted = p->pre_vote ? grants_pre_vote(turn, *p) : grants_vote(turn, candidate, *p);
  VoteResponse response = answer(ErrorCode::none);
  response.topics[0].partitions[0].vote_granted = granted;
  return response;
}

MonoTime ask_for_votes(Turn& turn, Election& election, bool pre_vote) {
  MonoTime next = mono_never;
  for (const Voter* voter : other_voters(turn)) {
    if (election.answered(voter->id)) continue;
    const std::int16_t version = turn.links.version(voter->id, VoteRequest::api_key, VoteRequest::max_version);
    if (pre_vote && version < first_with_pre_vote) {  // it cannot be asked; the vote itself will tell
      election.granted_by(voter->id);
      next = turn.now.mono;
      continue;
    }
    const MonoTime free_at = turn.links.free_at(voter->id, Lane::requests);
    if (turn.now.mono >= free_at)
      send(turn, voter->id, voter->endpoints, Lane::requests, make_request(turn, *voter, pre_vote), pre_vote);
    else
      next = std::min(next, free_at);
  }
  return next;
}

void vote_answered(Turn& turn, const PeerReply& reply, const InFlight& request) {
  const auto response = read_answer<VoteResponse>(turn, reply);
  const auto* p = response ? only_partition(response->topics) : nullptr;
  if (p == nullptr || p->error_code != ErrorCode::none)
    turn.search.heard(reply.peer, what_it_said(response, p));
  else
    turn.search.heard(reply.peer, p->vote_granted ? "would vote for this node" : "does not vote for this node");
  if (p == nullptr) return turn.links.rest(reply.peer, Lane::requests, turn.now.mono, turn.prng);
  learn_from(turn, *response, *p);
  Election* election = election_of(turn, request);
  if (election == nullptr) return;
  if (p->error_code == ErrorCode::none && p->vote_granted)
    election->granted_by(reply.peer);
  else if (p->error_code == ErrorCode::none || p->error_code == ErrorCode::invalid_voter_key)
    election->refused_by(reply.peer);
  else
    turn.links.rest(reply.peer, Lane::requests, turn.now.mono, turn.prng);
}

}  // namespace hayward::core::raft

// See begin_quorum_epoch.h.
#include "engine/core/raft/begin_quorum_epoch.h"

#include <vector>

#include "engine/core/raft/election_answer.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {
namespace {

using messages::BeginQuorumEpochRequest;
using messages::BeginQuorumEpochResponse;

std::vector<Endpoint> endpoints_in(const BeginQuorumEpochRequest& request) {
  std::vector<Endpoint> endpoints;
  for (const auto& e : request.leader_endpoints) {
    if (!e.host.empty() && e.port != 0) endpoints.push_back({std::string(e.name), std::string(e.host), e.port, 0});
  }
  return endpoints;
}

// Somebody else leads our epoch, so it is told: it is alive.
void return_to(Turn& turn, NodeId leader) {
  if (auto* follower = turn.quorum.as<Follower>(); follower != nullptr && follower->leader == leader) {
    follower->leader_gone = false;
    follower->early_election_at = mono_never;
    return;
  }
  const auto* prospective = turn.quorum.as<Prospective>();
  if (prospective == nullptr || prospective->leader != leader || prospective->leader_endpoints.empty()) return;
  turn.quorum.follow(turn.quorum.epoch(), leader, prospective->leader_endpoints, turn.fetch_timeout(), turn.out);
}

// Takes the claim in, as far as it may count. none: it leads, as far as we know.
ErrorCode consider(Turn& turn, NodeId leader, Epoch epoch, const std::vector<Endpoint>& endpoints) {
  const Quorum& quorum = turn.quorum;
  if (epoch < quorum.epoch()) return ErrorCode::fenced_leader_epoch;
  const bool findable = !endpoints.empty() || turn.voters.last().find(leader) != nullptr;
  if (epoch > quorum.epoch()) {
    const bool possible = leader != quorum.self().id && findable && may_raise_epoch(turn, {leader, {}}, epoch);
    if (!possible) return ErrorCode::unknown_leader_epoch;
  } else if (quorum.leader() == no_node && leader != quorum.self().id && findable &&
             turn.voters.last().may_be({leader, {}})) {
    // Of our own epoch a leader comes out of its voters.
  } else if (leader != quorum.leader()) {
    return ErrorCode::invalid_voter_key;
  }
  learn(turn, epoch, leader, endpoints);
  return_to(turn, leader);
  return ErrorCode::none;
}

}  // namespace

BeginQuorumEpochResponse begin_quorum_epoch(Turn& turn, const RaftCall& call, const BeginQuorumEpochRequest& request) {
  using Response = BeginQuorumEpochResponse;
  const RaftView view = turn.view();
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<Response>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || p->leader_id < NodeId{0}) return refuse_all<Response>(ErrorCode::invalid_request);

  if (!addresses({request.voter_id, p->voter_directory_id}, view.quorum.self())) {
    return answer_partition<Response>(view, call, ErrorCode::invalid_voter_key, false);
  }
  const ErrorCode error = consider(turn, p->leader_id, p->leader_epoch, endpoints_in(request));
  return answer_partition<Response>(view, call, error, may_name_leader(view, p->leader_id, error));
}

bool send_begin_quorum_epoch(Turn& turn, const Voter& voter) {
  BeginQuorumEpochRequest request;
  request.cluster_id = turn.config.cluster_id;
  request.voter_id = voter.id;
  BeginQuorumEpochRequest::PartitionData partition;
  partition.partition_index = metadata_partition;
  partition.voter_directory_id = voter.directory;
  partition.leader_id = turn.quorum.self().id;
  partition.leader_epoch = turn.quorum.epoch();
  add_metadata_partition(request, partition, turn.arena);
  add_own_addresses(turn, request.leader_endpoints);
  return send(turn, voter.id, voter.endpoints, Lane::requests, request);
}

void begin_quorum_epoch_answered(Turn& turn, const PeerReply& reply) {
  const auto response = read_answer<BeginQuorumEpochResponse>(turn, reply);
  const auto* p = response ? only_partition(response->topics) : nullptr;
  if (p == nullptr) return turn.links.rest(reply.peer, Lane::requests, turn.now.mono, turn.prng);
  learn_from(turn, *response, *p);
}

}  // namespace hayward::core::raft

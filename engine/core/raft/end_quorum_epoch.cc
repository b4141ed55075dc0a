// See end_quorum_epoch.h.
#include "engine/core/raft/end_quorum_epoch.h"

#include <algorithm>

#include "engine/core/raft/election_answer.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {
namespace {

using messages::EndQuorumEpochRequest;
using messages::EndQuorumEpochResponse;
using Partition = EndQuorumEpochRequest::PartitionData;

constexpr std::int64_t longest_wait_ms = 1000;  // controller.quorum.election.backoff.max.ms

struct Place {
  std::size_t position = 0;
  std::size_t of = 0;  // 0: this node is not on the list
};

Place place_of(const Turn& turn, const Partition& p) {
  Place place;
  std::size_t position = 0;
  for (const auto& candidate : p.preferred_candidates) {
    const ReplicaKey key{candidate.candidate_id, candidate.candidate_directory_id};
    if (place.of == 0 && same_replica(key, turn.quorum.self())) place = {position, p.preferred_candidates.size()};
    ++position;
  }
  position = 0;
  for (const NodeId id : p.preferred_successors) {
    if (place.of == 0 && id == turn.quorum.self().id) place = {position, p.preferred_successors.size()};
    ++position;
  }
  return place;
}

// Kafka's: the first at once, each later one after twice the time of the one before.
std::int64_t wait_ms(const Place& place) {
  if (place.of == 0) return longest_wait_ms;
  if (place.position == 0) return 0;
  const std::size_t steps = std::min<std::size_t>(place.of - 1, 62);
  const std::int64_t first = longest_wait_ms >> steps;
  return std::min(longest_wait_ms, first << std::min<std::size_t>(place.position - 1, 10));
}

ErrorCode consider(Turn& turn, const Partition& p) {
  Quorum& quorum = turn.quorum;
  if (p.leader_epoch < quorum.epoch()) return ErrorCode::fenced_leader_epoch;
  if (p.leader_epoch > quorum.epoch()) {
    const ReplicaKey sender{p.leader_id, {}};
    if (p.leader_id == quorum.self().id || !may_raise_epoch(turn, sender, p.leader_epoch)) {
      return ErrorCode::unknown_leader_epoch;
    }
    learn(turn, p.leader_epoch, no_node, {});
  } else if (quorum.leader() != no_node && p.leader_id != quorum.leader()) {
    return ErrorCode::invalid_voter_key;
  }
  const MonoTime election_at = turn.after_ms(wait_ms(place_of(turn, p)));
  if (auto* follower = quorum.as<Follower>(); follower != nullptr && follower->leader == p.leader_id) {
    follower->leader_gone = true;
    follower->early_election_at = election_at;
  } else if (auto* unattached = quorum.as<Unattached>(); unattached != nullptr && quorum.is_voter()) {
    unattached->election_at = std::min(unattached->election_at, election_at);
  }
  return ErrorCode::none;
}

}  // namespace

EndQuorumEpochResponse end_quorum_epoch(Turn& turn, const RaftCall& call, const EndQuorumEpochRequest& request) {
  using Response = EndQuorumEpochResponse;
  const RaftView view = turn.view();
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<Response>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || p->leader_id < NodeId{0}) return refuse_all<Response>(ErrorCode::invalid_request);

  const ErrorCode error = consider(turn, *p);
  return answer_partition<Response>(view, call, error, may_name_leader(view, p->leader_id, error));
}

bool send_end_quorum_epoch(Turn& turn, const Voter& voter) {
  const Resigned& resigned = *turn.quorum.as<Resigned>();
  EndQuorumEpochRequest request;
  request.cluster_id = turn.config.cluster_id;
  EndQuorumEpochRequest::PartitionData partition;
  partition.partition_index = metadata_partition;
  partition.leader_id = turn.quorum.self().id;
  partition.leader_epoch = turn.quorum.epoch();
  for (const ReplicaKey& key : resigned.preferred) {
    partition.preferred_candidates.push_back(turn.arena, {key.id, key.directory});
    partition.preferred_successors.push_back(turn.arena, key.id);
  }
  add_metadata_partition(request, partition, turn.arena);
  // A peer that does not know where this leader is may end itself over it.
  add_own_addresses(turn, request.leader_endpoints);
  return send(turn, voter.id, voter.endpoints, Lane::requests, request);
}

void end_quorum_epoch_answered(Turn& turn, const PeerReply& reply) {
  const auto response = read_answer<EndQuorumEpochResponse>(turn, reply);
  const auto* p = response ? only_partition(response->topics) : nullptr;
  if (p == nullptr) return turn.links.rest(reply.peer, Lane::requests, turn.now.mono, turn.prng);
  learn_from(turn, *response, *p);
  if (auto* resigned = turn.quorum.as<Resigned>()) resigned->heard.insert(reply.peer);
}

}  // namespace hayward::core::raft

// See vote.h.
#include "engine/core/raft/vote.h"

#include "engine/core/raft/election_answer.h"

namespace hayward::core::raft {
namespace {

using messages::VoteRequest;
using messages::VoteResponse;

// A candidate's log position must be possible, and its id one that a node can have.
bool well_formed(const VoteRequest::PartitionData& p) {
  if (p.last_offset < Offset{0} || p.last_offset_epoch < Epoch{0} || p.replica_id < NodeId{0}) return false;
  return p.pre_vote ? p.last_offset_epoch <= p.replica_epoch : p.last_offset_epoch < p.replica_epoch;
}

}  // namespace

VoteResponse vote(const RaftView& view, const RaftCall& call, const VoteRequest& request) {
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<VoteResponse>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || !well_formed(*p)) return refuse_all<VoteResponse>(ErrorCode::invalid_request);

  const ReplicaKey candidate{p->replica_id, p->replica_directory_id};
  // Somebody else with our id: it must not be told that it leads (P4).
  if (candidate.id == view.quorum.self().id) {
    return answer_partition<VoteResponse>(view, call, ErrorCode::invalid_voter_key, false);
  }
  if (p->replica_epoch < view.quorum.epoch()) {
    return answer_partition<VoteResponse>(view, call, ErrorCode::fenced_leader_epoch, true);
  }
  if (!addresses({request.voter_id, p->voter_directory_id}, view.quorum.self())) {
    return answer_partition<VoteResponse>(view, call, ErrorCode::invalid_voter_key, true);
  }
  // Its epoch is not ours, and a replica that is no voter cannot make it so.
  if (p->replica_epoch > view.quorum.epoch()) {
    return answer_partition<VoteResponse>(view, call, ErrorCode::unknown_leader_epoch, true);
  }
  return answer_partition<VoteResponse>(view, call, ErrorCode::none, true);  // not granted
}

}  // namespace hayward::core::raft

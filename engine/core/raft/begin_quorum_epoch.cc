// See begin_quorum_epoch.h.
#include "engine/core/raft/begin_quorum_epoch.h"

#include "engine/core/raft/election_answer.h"

namespace hayward::core::raft {

using messages::BeginQuorumEpochRequest;
using messages::BeginQuorumEpochResponse;

BeginQuorumEpochResponse begin_quorum_epoch(const RaftView& view, const RaftCall& call,
                                            const BeginQuorumEpochRequest& request) {
  using Response = BeginQuorumEpochResponse;
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<Response>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || p->leader_id < NodeId{0}) return refuse_all<Response>(ErrorCode::invalid_request);

  if (!addresses({request.voter_id, p->voter_directory_id}, view.quorum.self())) {
    return answer_partition<Response>(view, call, ErrorCode::invalid_voter_key, false);
  }
  const ErrorCode error = check_leadership_claim(view, p->leader_id, p->leader_epoch);
  return answer_partition<Response>(view, call, error, may_name_leader(view, p->leader_id, error));
}

}  // namespace hayward::core::raft

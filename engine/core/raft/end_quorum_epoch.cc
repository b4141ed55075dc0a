// See end_quorum_epoch.h.
#include "engine/core/raft/end_quorum_epoch.h"

#include "engine/core/raft/election_answer.h"

namespace hayward::core::raft {

using messages::EndQuorumEpochRequest;
using messages::EndQuorumEpochResponse;

EndQuorumEpochResponse end_quorum_epoch(const RaftView& view, const RaftCall& call,
                                        const EndQuorumEpochRequest& request) {
  using Response = EndQuorumEpochResponse;
  if (!cluster_matches(view, request.cluster_id)) return refuse_all<Response>(ErrorCode::inconsistent_cluster_id);
  const auto* p = only_metadata_partition(request);
  if (p == nullptr || p->leader_id < NodeId{0}) return refuse_all<Response>(ErrorCode::invalid_request);

  const ErrorCode error = check_leadership_claim(view, p->leader_id, p->leader_epoch);
  return answer_partition<Response>(view, call, error, may_name_leader(view, p->leader_id, error));
}

}  // namespace hayward::core::raft

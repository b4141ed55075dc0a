// See remove_raft_voter.h.
#include "engine/core/raft/remove_raft_voter.h"

#include "engine/core/raft/voter_change.h"

namespace hayward::core::raft {

using messages::RemoveRaftVoterRequest;
using messages::RemoveRaftVoterResponse;

RemoveRaftVoterResponse check_remove_raft_voter(const RaftView& view, const RaftCall& call,
                                                const RemoveRaftVoterRequest& request) {
  const auto refuse = [&](ErrorCode error, std::string_view message) {
    RemoveRaftVoterResponse response;
    response.error_code = error;
    response.error_message = call.arena.copy(message);
    return response;
  };
  if (!cluster_matches(view, request.cluster_id)) {
    return refuse(ErrorCode::inconsistent_cluster_id, "The request's cluster id is not this cluster's.");
  }
  if (const ErrorCode error = check_leader_request(view, view.quorum.epoch()); error != ErrorCode::none) {
    return refuse(error, "This node does not lead the quorum.");
  }
  if (request.voter_id < NodeId{0} || request.voter_directory_id.is_zero()) {
    return refuse(ErrorCode::invalid_request, "A voter needs an id and a directory id.");
  }
  if (const VoterChangeCheck check = check_voter_change(view); check.error != ErrorCode::none) {
    return refuse(check.error, check.message);
  }
  if (!view.voters.last().has({request.voter_id, request.voter_directory_id})) {
    return refuse(ErrorCode::voter_not_found, "No voter has this id and directory id.");
  }
  if (view.voters.last().size() == 1) return refuse(ErrorCode::voter_not_found, "The last voter cannot be removed.");
  return {};
}

}  // namespace hayward::core::raft

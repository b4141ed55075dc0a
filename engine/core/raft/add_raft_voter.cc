// See add_raft_voter.h.
#include "engine/core/raft/add_raft_voter.h"

#include "engine/core/raft/voter_change.h"

namespace hayward::core::raft {

using messages::AddRaftVoterRequest;
using messages::AddRaftVoterResponse;

AddRaftVoterResponse check_add_raft_voter(const RaftView& view, const RaftCall& call, const AddRaftVoterRequest& request) {
  const auto refuse = [&](ErrorCode error, std::string_view message) {
    AddRaftVoterResponse response;
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
  if (!has_default_listener(view, request.listeners)) {
    return refuse(ErrorCode::invalid_request, "The voter's listeners lack the one that the leader uses.");
  }
  if (const VoterChangeCheck check = check_voter_change(view); check.error != ErrorCode::none) {
    return refuse(check.error, check.message);
  }
  if (view.voters.last().find(request.voter_id) != nullptr) {
    return refuse(ErrorCode::duplicate_voter, "The id is a voter's already.");
  }
  return {};
}

}  // namespace hayward::core::raft

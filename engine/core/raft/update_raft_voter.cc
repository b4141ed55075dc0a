// See update_raft_voter.h.
#include "engine/core/raft/update_raft_voter.h"

#include "engine/core/raft/voter_change.h"

namespace hayward::core::raft {
namespace {

using messages::UpdateRaftVoterRequest;
using messages::UpdateRaftVoterResponse;

bool well_formed(const RaftView& view, const UpdateRaftVoterRequest& request) {
  const auto& range = request.kraft_version_feature;
  return request.voter_id >= NodeId{0} && !request.voter_directory_id.is_zero() &&
         has_default_listener(view, request.listeners) && range.min_supported_version >= 0 &&
         range.max_supported_version >= range.min_supported_version;
}

bool supports(const UpdateRaftVoterRequest& request, std::int16_t kraft_version) {
  const auto& range = request.kraft_version_feature;
  return range.min_supported_version <= kraft_version && kraft_version <= range.max_supported_version;
}

ErrorCode check(const RaftView& view, const UpdateRaftVoterRequest& request) {
  if (!cluster_matches(view, request.cluster_id)) return ErrorCode::inconsistent_cluster_id;
  const ErrorCode not_leader = check_leader_request(view, request.current_leader_epoch);
  if (not_leader != ErrorCode::none) return not_leader;
  if (!well_formed(view, request)) return ErrorCode::invalid_request;
  // Without kraft.version 1 the set is the configured one, and there is nothing to wait for but the epoch.
  const VoterChangeCheck pending = check_voter_change(view);
  if (pending.error == ErrorCode::request_timed_out) return pending.error;
  if (!supports(request, view.voters.kraft_version())) return ErrorCode::invalid_request;
  const VoterSet& voters = view.voters.last();
  if (voters.find(request.voter_id) == nullptr) return ErrorCode::voter_not_found;
  // Below kraft.version 1 voters have no directory.
  if (!voters.has({request.voter_id, request.voter_directory_id})) return ErrorCode::voter_not_found;
  const bool of_itself = request.voter_id == view.quorum.self().id && voters.has(view.quorum.self());
  return of_itself ? ErrorCode::invalid_request : ErrorCode::none;
}

}  // namespace

UpdateRaftVoterResponse check_update_raft_voter(const RaftView& view, const RaftCall& call,
                                                const UpdateRaftVoterRequest& request) {
  UpdateRaftVoterResponse response;
  response.error_code = check(view, request);
  response.current_leader.leader_id = view.quorum.leader();
  response.current_leader.leader_epoch = Epoch{view.quorum.epoch()};
  const Endpoint* endpoint = leader_endpoint(view, call.listener);
  const bool reachable = view.quorum.leader() != no_node && endpoint != nullptr;
  // Who has our id is not told that it leads (P4), and nobody of a leader without an address (P5).
  if (!reachable || request.voter_id == view.quorum.self().id || request.voter_id == view.quorum.leader()) {
    response.current_leader.leader_id = no_node;
  } else {
    response.current_leader.host = endpoint->host;
    response.current_leader.port = endpoint->port;
  }
  return response;
}

}  // namespace hayward::core::raft

// See voter_requests.h.
#include "engine/core/raft/voter_requests.h"

#include <algorithm>

#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_response.h"

namespace hayward::core::raft {
namespace {

using namespace messages;

template <class Request>
void ask_leader(Turn& turn, const Request& request) {
  const Follower& follower = *turn.quorum.as<Follower>();
  send(turn, follower.leader, follower.leader_endpoints, Lane::requests, request);
}

void ask_for_update(Turn& turn) {
  UpdateRaftVoterRequest request;
  request.cluster_id = turn.config.cluster_id;
  request.current_leader_epoch = turn.quorum.epoch();
  request.voter_id = turn.config.node_id;
  request.voter_directory_id = turn.config.directory_id;
  add_own_addresses(turn, request.listeners);
  const Voter self = self_voter(turn.config);
  request.kraft_version_feature = {self.min_kraft_version, self.max_kraft_version};
  ask_leader(turn, request);
}

void ask_to_join(Turn& turn) {
  AddRaftVoterRequest request;
  request.cluster_id = turn.config.cluster_id;
  request.timeout_ms = static_cast<std::int32_t>(turn.config.fetch_timeout_ms);
  request.voter_id = turn.config.node_id;
  request.voter_directory_id = turn.config.directory_id;
  add_own_addresses(turn, request.listeners);
  request.ack_when_committed = false;
  ask_leader(turn, request);
}

// Its id is a voter's, in a directory that is gone: that one goes first.
void ask_to_remove(Turn& turn, const Voter& former) {
  RemoveRaftVoterRequest request;
  request.cluster_id = turn.config.cluster_id;
  request.voter_id = former.id;
  request.voter_directory_id = former.directory;
  ask_leader(turn, request);
}

bool needs_update(const Turn& turn, const Follower& follower) {
  if (turn.voters.kraft_version() == 0) return !follower.has_updated;
  return !same_entry(*turn.voters.last().find(turn.config.node_id), self_voter(turn.config));
}

}  // namespace

MonoTime poll_voter_requests(Turn& turn) {
  auto* follower = turn.quorum.as<Follower>();
  const bool voter = turn.quorum.is_voter();
  if (voter) turn.may_join = false;
  const bool joins = !voter && turn.config.auto_join && turn.may_join && turn.voters.kraft_version() > 0;
  if (!follower->fetched || !(voter ? needs_update(turn, *follower) : joins)) return mono_never;
  const MonoTime at = std::max(follower->voter_request_at, turn.links.free_at(follower->leader, Lane::requests));
  if (turn.now.mono < at) return at;
  follower->voter_request_at = turn.after_ms(turn.config.fetch_timeout_ms);
  const Voter* former = turn.voters.last().find(turn.config.node_id);
  if (voter)
    ask_for_update(turn);
  else if (former != nullptr)
    ask_to_remove(turn, *former);
  else
    ask_to_join(turn);
  return follower->voter_request_at;
}

void voter_request_answered(Turn& turn, const PeerReply& reply) {
  if (reply.api_key == AddRaftVoterRequest::api_key) {
    const auto response = read_answer<AddRaftVoterResponse>(turn, reply);
    if (response && response->error_code != ErrorCode::none) {
      turn.log_line(LogLine::Level::info, name_of(reply.peer) + " does not make this node a voter yet: error " +
                                              std::to_string(static_cast<int>(response->error_code)) + ", " +
                                              std::string(response->error_message.value_or("")));
    }
    return;
  }
  if (reply.api_key != UpdateRaftVoterRequest::api_key) return;
  const auto response = read_answer<UpdateRaftVoterResponse>(turn, reply);
  auto* follower = turn.quorum.as<Follower>();
  if (!response || follower == nullptr || follower->leader != reply.peer) return;
  follower->has_updated = response->error_code == ErrorCode::none;
}

}  // namespace hayward::core::raft

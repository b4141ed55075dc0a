// See raft_view.h.
#include "engine/core/raft/raft_view.h"

#include <algorithm>

namespace hayward::core::raft {

namespace {

const Endpoint* on_listener(const std::vector<Endpoint>& endpoints, std::string_view listener) {
  const auto at =
      std::find_if(endpoints.begin(), endpoints.end(), [&](const Endpoint& e) { return e.listener == listener; });
  return at == endpoints.end() ? nullptr : &*at;
}

}  // namespace

const Endpoint* own_endpoint(const RaftView& view, std::string_view listener) {
  return on_listener(view.config.advertised, listener);
}

const Endpoint* leader_endpoint(const RaftView& view, std::string_view listener) {
  const NodeId leader = view.quorum.leader();
  if (leader == no_node) return nullptr;
  if (leader == view.quorum.self().id) return own_endpoint(view, listener);
  const std::vector<Endpoint>* told = view.quorum.leader_endpoints();
  const Endpoint* endpoint = told == nullptr ? nullptr : on_listener(*told, listener);
  if (endpoint != nullptr) return endpoint;
  const Voter* voter = view.voters.last().find(leader);
  return voter == nullptr ? nullptr : on_listener(voter->endpoints, listener);
}

ErrorCode check_leader_request(const RaftView& view, Epoch epoch) {
  if (epoch < view.quorum.epoch()) return ErrorCode::fenced_leader_epoch;
  if (epoch > view.quorum.epoch()) return ErrorCode::unknown_leader_epoch;
  if (view.quorum.leading() == nullptr) return ErrorCode::not_leader_or_follower;
  return view.stopping ? ErrorCode::broker_not_available : ErrorCode::none;
}

}  // namespace hayward::core::raft

// See raft_view.h.
#include "engine/core/raft/raft_view.h"

#include <algorithm>

namespace hayward::core::raft {

const Endpoint* own_endpoint(const RaftView& view, std::string_view listener) {
  const auto& own = view.config.advertised;
  const auto at = std::find_if(own.begin(), own.end(), [&](const Endpoint& e) { return e.listener == listener; });
  return at == own.end() ? nullptr : &*at;
}

ErrorCode check_leader_request(const RaftView& view, Epoch epoch) {
  if (epoch < view.quorum.epoch()) return ErrorCode::fenced_leader_epoch;
  if (epoch > view.quorum.epoch()) return ErrorCode::unknown_leader_epoch;
  if (view.quorum.leading() == nullptr) return ErrorCode::not_leader_or_follower;
  return view.stopping ? ErrorCode::broker_not_available : ErrorCode::none;
}

}  // namespace hayward::core::raft

// See standby.h.
#include "engine/core/standby.h"

#include "engine/core/control/self_registration.h"
#include "engine/core/image/image.h"
#include "engine/core/raft/turn.h"
#include "schemas/messages/controller_registration_request.h"

namespace hayward::core {
namespace {

constexpr std::int64_t again_ms = 1000;

bool is_registered(const NodeState& node) {
  const auto version = node.image.features().metadata_version();
  if (!version || !version->controller_registration()) return true;  // it cannot be
  const ControllerRegistration* known = node.image.cluster().controller(node.config.node_id);
  return known != nullptr && known->incarnation_id == node.config.incarnation_id;
}

}  // namespace

MonoTime poll_standby(NodeState& node, const Time& now, Effects& out) {
  const auto* follower = node.quorum.as<raft::Follower>();
  if (follower == nullptr || !follower->fetched || node.stopping || is_registered(node)) return mono_never;
  const MonoTime at = std::max(node.register_at, node.links.free_at(follower->leader, raft::Lane::requests));
  if (now.mono < at) return at;
  node.register_at = now.mono + ms_to_ns(again_ms);
  raft::Turn turn = node.raft_turn(now, out);
  raft::send(turn, follower->leader, follower->leader_endpoints, raft::Lane::requests,
             registration_of_self(node.config, node.arena));
  node.arena.reset();
  return node.register_at;
}

}  // namespace hayward::core

// See leader_waits.h.
#include "engine/core/leader_waits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/control/dispatch.h"
#include "engine/core/node_state.h"

namespace hayward::core {
namespace {

// Longer than an election with default timeouts takes, Java's too; well below the 30 s after which clients give a request up.
constexpr std::int64_t wait_ms = 5000;

bool knows_whom_to_name(const NodeState& node) {
  const auto version = node.image.features().metadata_version();
  if (version && !version->controller_registration()) return true;  // that no controller is ever named
  const NodeId leader = node.quorum.leader();
  return leader != no_node && node.image.cluster().controller(leader) != nullptr;
}

}  // namespace

void LeaderWaits::park(const Request& request) {
  requests_[request.connection] = std::make_unique<KeptRequest>(request);
}

bool waits_for_leader(const NodeState& node, MonoTime arrival, MonoTime now) {
  return !node.stopping && now < arrival + ms_to_ns(wait_ms) && !knows_whom_to_name(node);
}

MonoTime poll_leader_waits(NodeState& node, const Time& now, Effects& out) {
  MonoTime again = mono_never;
  std::vector<std::unique_ptr<KeptRequest>> ready;
  for (auto& [connection, kept] : node.leader_waits.requests_) {
    const MonoTime arrival = kept->request.arrival;
    if (waits_for_leader(node, arrival, now.mono)) {
      again = std::min(again, arrival + ms_to_ns(wait_ms));
    } else {
      ready.push_back(std::move(kept));
    }
  }
  for (const std::unique_ptr<KeptRequest>& kept : ready) {
    node.leader_waits.forget(kept->request.connection);
    handle_request(node, kept->request, now, out);
  }
  return again;
}

}  // namespace hayward::core

// See leadership.h.
#include "engine/core/leadership.h"

#include <memory>
#include <utility>
#include <vector>

#include "engine/core/activation.h"
#include "engine/core/commit.h"
#include "engine/core/control/dispatch.h"
#include "engine/core/control/fetch.h"
#include "engine/core/periodic.h"

namespace hayward::core {
namespace {

void renounce(NodeState& node, const Time& now, Effects& out) {
  node.led.reset();
  if (node.active) {
    node.active = false;
    stop_periodic_work(node);
    node.brokers.deactivate(out);
    node.published_brokers.deactivate();
  }
  node.broker_work.clear();
  node.snapshotter.drop();
  node.image.revert_to(Offset{node.committed.value - 1});
  node.image_end = node.committed;
  end_voter_probe(node, now, out);
  // Asked again, now that this node does not lead, each gives the refusal that its API has.
  for (const std::unique_ptr<KeptRequest>& kept : node.parked.take_requests()) {
    handle_request(node, kept->request, now, out);
  }
  for (const HeldUnregistration& held : std::exchange(node.unregistrations, {})) {
    if (held.request != nullptr) handle_request(node, held.request->request, now, out);
  }
  answer_fetches(node, node.fetches.take_all(), out);
}

}  // namespace

void follow_role(NodeState& node, const Time& now, Effects& out) {
  if (node.failed) return;
  const bool leads = node.quorum.leading() != nullptr;
  if (node.led && (!leads || *node.led != node.quorum.epoch())) renounce(node, now, out);
  if (!leads || node.led) return;
  node.led = node.quorum.epoch();
  replay_tail(node, node.log.end(), out);
  if (!node.failed) begin_epoch(node, now, out);
}

}  // namespace hayward::core

// See slices.h.
#include "engine/core/slices.h"

#include <utility>
#include <vector>

#include "engine/core/append.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/fence_brokers.h"

namespace hayward::core {
namespace {

// What could still be undone is kept in memory, so slices wait for the log.
constexpr std::size_t max_uncommitted_slices = 40;

std::size_t partitions_of(const NodeState& node, const std::vector<BrokerIncarnation>& brokers) {
  std::size_t partitions = 0;
  for (const BrokerIncarnation& broker : brokers) partitions += node.image.topics().in_isr_of(broker.id).size();
  return partitions;
}

// Whose broker is out by now: the answer follows the commit of that.
void answer_unregistrations(NodeState& node) {
  std::erase_if(node.unregistrations, [&](HeldUnregistration& held) {
    const BrokerRegistration* broker = node.image.cluster().broker(held.broker.id);
    if (broker != nullptr && broker->epoch == held.broker.epoch) return false;
    node.parked.park(node.log.end(), std::move(held.answer), std::move(held.request));
    return true;
  });
}

}  // namespace

void fence_expired(NodeState& node, const LeasesExpired& expired, const Time& now, Effects& out) {
  const std::vector<BrokerIncarnation> brokers = node.brokers.take_expired(expired);
  if (node.broker_work.any_leaves() || partitions_of(node, brokers) > node.config.partitions_per_slice) {
    for (const BrokerIncarnation& broker : brokers) node.broker_work.add(BrokerWorkKind::fence, broker);
    return;
  }
  write_own(node, now, out,
            [&](const HandlerContext& context, RecordList& records) { fence_brokers(context, brokers, records); });
  node.broker_change_end = node.log.end();
}

void run_slice(NodeState& node, const Time& now, Effects& out) {
  if (!node.active || !node.timers.take(Timer::broker_work, now.mono)) return;
  BrokerWork::Done done;
  write_own(node, now, out, [&](const HandlerContext& context, RecordList& records) {
    done = node.broker_work.slice(context, node.config.partitions_per_slice, records);
  });
  if (node.failed) return;
  for (const BrokerIncarnation& broker : done.drained) node.brokers.drained(broker, Offset{node.log.end().value - 1});
  for (const BrokerIncarnation& broker : done.unregistered) node.brokers.forget(broker.id, out);
  if (done.registrations) node.broker_change_end = node.log.end();
  answer_unregistrations(node);
}

void arm_slice(NodeState& node, const Time& now) {
  if (!node.active) node.unregistrations.clear();
  node.broker_work.forget_settled(node.image.cluster());
  if (!node.active || node.broker_work.idle()) return node.timers.clear(Timer::broker_work);
  const auto uncommitted = static_cast<std::size_t>(node.log.end().value - node.high_watermark().value);
  const bool runs = uncommitted <= max_uncommitted_slices * node.config.partitions_per_slice;
  node.timers.set(Timer::broker_work, runs ? now.mono : mono_never);
}

}  // namespace hayward::core

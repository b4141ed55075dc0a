// See broker_work.h.
#include "engine/core/control/broker_work.h"

#include "engine/core/control/broker_transitions.h"
#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"

namespace hayward::core {

void BrokerWork::add(BrokerWorkKind kind, BrokerIncarnation broker) {
  if (kind == BrokerWorkKind::none) return;
  if (kind == BrokerWorkKind::elect) {
    electing_.insert(broker.id);
    elect_from_ = 0;
    return;
  }
  leaving_[broker.id] = {broker.epoch, kind};
  leave_from_ = 0;  // what has been passed holds partitions of the new one; the others have left it already
  note_ineligible();
}

void BrokerWork::clear() { *this = {}; }

void BrokerWork::note_ineligible() {
  ineligible_.clear();
  for (const auto& [id, leaving] : leaving_) {
    if (leaving.kind != BrokerWorkKind::clean_up) ineligible_.push_back(id);
  }
}

void BrokerWork::forget_settled(const Cluster& cluster) {
  if (idle()) return;
  std::erase_if(leaving_, [&](const auto& entry) {
    const BrokerRegistration* broker = cluster.broker(entry.first);
    if (broker == nullptr || broker->epoch != entry.second.epoch) return true;
    return entry.second.kind == BrokerWorkKind::clean_up && !broker->fenced;
  });
  note_ineligible();
  std::erase_if(electing_, [&](NodeId id) { return !cluster.is_active(id) || leaving_.contains(id); });
}

std::vector<BrokerIncarnation> BrokerWork::slice(const HandlerContext& context, std::size_t max_partitions,
                                                 RecordList& records) {
  forget_settled(context.image.cluster());
  if (!leaving_.empty()) return leave(context, max_partitions, records);
  if (!electing_.empty()) elect(context, max_partitions, records);
  return {};
}

std::vector<BrokerIncarnation> BrokerWork::leave(const HandlerContext& context, std::size_t max_partitions,
                                                 RecordList& records) {
  std::vector<NodeId> ids;
  for (const auto& [id, leaving] : leaving_) ids.push_back(id);
  PartitionChanges changes(context, records);
  if (const auto next = generate_leader_and_isr_updates({.leaving = ids}, leave_from_, max_partitions, changes)) {
    leave_from_ = *next;
    return {};
  }
  std::vector<BrokerIncarnation> drained;
  for (const auto& [id, leaving] : leaving_) {
    if (leaving.kind == BrokerWorkKind::fence) add_fence_record({id, leaving.epoch}, records);
    if (leaving.kind == BrokerWorkKind::drain) drained.push_back({id, leaving.epoch});
  }
  leaving_.clear();
  note_ineligible();
  return drained;
}

void BrokerWork::elect(const HandlerContext& context, std::size_t max_partitions, RecordList& records) {
  const std::vector<NodeId> ids(electing_.begin(), electing_.end());
  PartitionChanges changes(context, records);
  if (const auto next = generate_leader_and_isr_updates({.joining = ids}, elect_from_, max_partitions, changes))
    elect_from_ = *next;
  else
    electing_.clear();
}

}  // namespace hayward::core

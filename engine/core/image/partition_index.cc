// PartitionIndexes: only the sets whose membership differs are touched.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/partition_index.h"

#include <span>

namespace hayward::core {
namespace {

using Nodes = std::span<const NodeId>;

// A list of none or one.
Nodes as_list(const NodeId& node) { return node == no_node ? Nodes() : Nodes(&node, 1); }

void set_membership(SlotSet& set, std::uint32_t slot, bool was, bool is) {
  if (was == is) return;
  if (is) set.insert(slot);
  else set.erase(slot);
}

}  // namespace

void PartitionIndexes::update_members(std::uint32_t slot, SlotSet Broker::*set, std::span<const NodeId> before,
                                      std::span<const NodeId> now) {
  for (NodeId node : before) {
    if (Partition::contains(now, node)) continue;
    const auto at = brokers_.find(node);
    if (at == brokers_.end()) continue;
    (at->second.*set).erase(slot);
    if (at->second.empty()) brokers_.erase(at);
  }
  for (NodeId node : now) {
    if (!Partition::contains(before, node)) (brokers_[node].*set).insert(slot);
  }
}

void PartitionIndexes::update(std::uint32_t slot, const Partition* before, const Partition* now) {
  static const Partition none{};
  const Partition& a = before ? *before : none;
  const Partition& b = now ? *now : none;
  update_members(slot, &Broker::leads, as_list(a.leader), as_list(b.leader));
  update_members(slot, &Broker::in_isr, a.isr(), b.isr());
  update_members(slot, &Broker::replica, a.replicas(), b.replicas());
  update_members(slot, &Broker::in_elr, a.elr(), b.elr());
  update_members(slot, &Broker::leaderless, a.has_leader() ? Nodes() : a.replicas(),
                 b.has_leader() ? Nodes() : b.replicas());
  set_membership(leaderless_, slot, before && !a.has_leader(), now && !b.has_leader());
  set_membership(imbalanced_, slot, before && !a.has_preferred_leader(), now && !b.has_preferred_leader());
  set_membership(reassigning_, slot, before && a.is_reassigning(), now && b.is_reassigning());
}

const PartitionIndexes::Broker& PartitionIndexes::broker(NodeId id) const {
  static const Broker none;
  const auto at = brokers_.find(id);
  return at == brokers_.end() ? none : at->second;
}

std::size_t PartitionIndexes::heap_bytes() const {
  std::size_t bytes = leaderless_.heap_bytes() + imbalanced_.heap_bytes() + reassigning_.heap_bytes();
  for (const auto& [id, broker] : brokers_) {
    bytes += sizeof(id) + sizeof(broker) + broker.leads.heap_bytes() + broker.in_isr.heap_bytes() +
             broker.replica.heap_bytes() + broker.in_elr.heap_bytes() + broker.leaderless.heap_bytes();
  }
  return bytes;
}

}  // namespace hayward::core

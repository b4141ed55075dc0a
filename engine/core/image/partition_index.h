// Which partitions a broker leads, is in the ISR of, is a replica of ...: so that work about a broker costs
// what it touches and not the size of the cluster. Kept by Topics with every change.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "engine/core/image/partition.h"
#include "engine/core/image/slot_set.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class PartitionIndexes {
 public:
  struct Broker {
    SlotSet leads;
    SlotSet in_isr;
    SlotSet replica;
    SlotSet in_elr;
    SlotSet leaderless;  // replica of, and nobody leads it
    bool empty() const {
      return leads.empty() && in_isr.empty() && replica.empty() && in_elr.empty() && leaderless.empty();
    }
  };

  // `slot` holds `now` instead of `before`; nullptr: no partition.
  void update(std::uint32_t slot, const Partition* before, const Partition* now);

  // Empty sets for a broker that is in none.
  const Broker& broker(NodeId id) const;
  const std::map<NodeId, Broker>& brokers() const { return brokers_; }
  const SlotSet& leaderless() const { return leaderless_; }
  const SlotSet& imbalanced() const { return imbalanced_; }    // not led by replicas[0]
  const SlotSet& reassigning() const { return reassigning_; }  // adding or removing replicas

  std::size_t heap_bytes() const;

 private:
  void update_members(std::uint32_t slot, SlotSet Broker::*set, std::span<const NodeId> before,
                      std::span<const NodeId> now);

  std::map<NodeId, Broker> brokers_;
  SlotSet leaderless_;
  SlotSet imbalanced_;
  SlotSet reassigning_;
};

}  // namespace hayward::core

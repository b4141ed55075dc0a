// What a partition's replicas become while they move: where a reassignment starts, and where a cancelled one
// goes back to. How it ends is PartitionChangeBuilder's.
// Owner: engine/core/control; pure functions. Shard 0.
#pragma once

#include <span>
#include <vector>

#include "engine/core/image/partition.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

struct Reassignment {
  std::vector<NodeId> replicas;  // the target in its order, then those that leave, ascending
  std::vector<NodeId> adding;    // ascending
  std::vector<NodeId> removing;  // ascending
};

// The replicas as they were before the reassignment that is going on; all of them if none is.
std::vector<NodeId> original_replicas(const Partition& partition);

// The way to `target`, whatever is going on. A replica that was being added and is wanted still is waited for
// as before.
Reassignment start_reassignment(const Partition& partition, std::span<const NodeId> target);

struct RevertedReassignment {
  std::vector<NodeId> replicas;
  std::vector<NodeId> isr;
  bool unclean = false;  // only new replicas were in sync: the ISR is a replica that lacks records
};

// Back to the original replicas. Every replica a new one (cannot come about here): `replicas` is empty.
RevertedReassignment revert_reassignment(const Partition& partition);

}  // namespace hayward::core

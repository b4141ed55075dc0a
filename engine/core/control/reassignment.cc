// See reassignment.h.
#include "engine/core/control/reassignment.h"

#include <algorithm>
#include <iterator>

namespace hayward::core {
namespace {

using Nodes = std::vector<NodeId>;

Nodes without(std::span<const NodeId> nodes, std::span<const NodeId> unwanted) {
  Nodes left;
  std::ranges::copy_if(nodes, std::back_inserter(left),
                       [&](NodeId node) { return !Partition::contains(unwanted, node); });
  return left;
}

Nodes ascending(Nodes nodes) {
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace

Nodes original_replicas(const Partition& partition) {
  return without(partition.replicas(), partition.adding_replicas());
}

Reassignment start_reassignment(const Partition& partition, std::span<const NodeId> target) {
  Reassignment result;
  result.adding = ascending(without(target, original_replicas(partition)));
  result.removing = ascending(without(partition.replicas(), target));
  result.replicas.assign(target.begin(), target.end());
  result.replicas.insert(result.replicas.end(), result.removing.begin(), result.removing.end());
  return result;
}

RevertedReassignment revert_reassignment(const Partition& partition) {
  RevertedReassignment result;
  result.replicas = original_replicas(partition);
  result.isr = without(partition.isr(), partition.adding_replicas());
  if (result.isr.empty() && !result.replicas.empty()) {
    result.isr = {result.replicas.front()};
    result.unclean = true;
  }
  return result;
}

}  // namespace hayward::core

// Changes of brokers that concern too many partitions for one event: a broker that is fenced, drained or
// unfenced has its partitions changed in slices, between which other events are handled. Partition changes go
// first and the fence record last; unfencing in reverse. All brokers that leave at one time are one step over
// the union of their partitions. What is under way is soft state of this activation: after another one it is
// derived from the image, or brought about again by an expiry or a heartbeat.
// Owner: the node. Shard 0, active controller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "engine/core/control/context.h"
#include "engine/core/image/cluster.h"
#include "engine/core/records.h"
#include "engine/core/types.h"

namespace hayward::core {

// What a handler leaves to be done in slices.
enum class BrokerWorkKind : std::uint8_t {
  none,
  fence,     // leaves all ISRs, then the fence record
  drain,     // leaves all ISRs (controlled shutdown)
  clean_up,  // fenced already, but still in ISRs
  elect,     // unfenced already; leads where nobody does
};

class BrokerWork {
 public:
  void add(BrokerWorkKind kind, BrokerIncarnation broker);
  void clear();
  // Drops brokers that are gone, replaced, or no longer in the state that their work assumes.
  void forget_settled(const Cluster& cluster);

  bool idle() const { return leaving_.empty() && electing_.empty(); }
  bool any_leaves() const { return !leaving_.empty(); }
  // Being fenced or drained, ascending: HandlerContext::ineligible_brokers.
  std::span<const NodeId> ineligible() const { return ineligible_; }

  // Looks at no more than `max_partitions` and adds what changes; to be called again, with these records
  // replayed, until idle. Returns the brokers that have been drained by it.
  std::vector<BrokerIncarnation> slice(const HandlerContext& context, std::size_t max_partitions, RecordList& records);

 private:
  struct Leaving {
    BrokerEpoch epoch;
    BrokerWorkKind kind;
  };
  std::vector<BrokerIncarnation> leave(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  void elect(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  void note_ineligible();

  std::map<NodeId, Leaving> leaving_;
  std::set<NodeId> electing_;
  std::vector<NodeId> ineligible_;
  std::uint32_t leave_from_ = 0;  // slots: where the next slice begins
  std::uint32_t elect_from_ = 0;
};

// Whether that many partitions are changed at once: the bound of every slice.
inline bool fits_one_slice(const HandlerContext& context, std::size_t partitions) {
  return partitions <= context.config.partitions_per_slice;
}
inline bool is_changing(const HandlerContext& context, NodeId broker) {
  return std::ranges::binary_search(context.ineligible_brokers, broker);
}

}  // namespace hayward::core

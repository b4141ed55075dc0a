// Changes that concern too many partitions for one event, most of them of brokers: they go in slices, between which
// other events are handled. Partition changes go first and the record about the broker last; unfencing in reverse. All
// brokers that leave at one time are one step over the union of their partitions. What is under way is soft state of
// this activation: after another one it is derived from the image, or brought about again by an expiry, a heartbeat or
// a registration.
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

// What a handler leaves to be done in slices. Of two that make one broker leave, the later one in this list is done.
enum class BrokerWorkKind : std::uint8_t {
  none,
  elect,     // unfenced already; leads where nobody does
  clean_up,  // fenced already, but still in ISRs
  drain,     // leaves all ISRs (controlled shutdown)
  fence,     // leaves all ISRs, then the fence record
  lose,      // leaves all ISRs and ELRs: it has lost what it had not synced, and asks to be registered anew
  unregister,  // leaves all ISRs, then the record that takes out its registration
};

// The broker epoch of work for a broker that is not registered.
inline constexpr BrokerEpoch no_broker_epoch{-1};

class BrokerWork {
 public:
  void add(BrokerWorkKind kind, BrokerIncarnation broker);
  // The broker's partitions move away from these registered directories, then the record follows that takes them out
  // of its registration.
  void lose_directories(BrokerIncarnation broker, std::span<const DirectoryId> directories);
  void finish_reassignments() { reassigning_ = true; }
  void clear();
  // Drops brokers that are gone, replaced, or no longer in the state that their work assumes.
  void forget_settled(const Cluster& cluster);

  bool idle() const { return leaving_.empty() && losing_.empty() && electing_.empty() && !reassigning_; }
  bool any_leaves() const { return !leaving_.empty(); }
  // Being fenced, drained, cleaned up after or unregistered, ascending: HandlerContext::ineligible_brokers.
  std::span<const NodeId> ineligible() const { return ineligible_; }
  // Ascending: HandlerContext::lost_directories.
  std::span<const LostDirectory> lost_directories() const { return lost_directories_; }

  struct Done {
    std::vector<BrokerIncarnation> drained;
    std::vector<BrokerIncarnation> unregistered;
    bool registrations = false;  // a record about a broker's registration is among the slice's
  };
  // Looks at no more than `max_partitions` and adds what changes; to be called again, with these records
  // replayed, until idle.
  Done slice(const HandlerContext& context, std::size_t max_partitions, RecordList& records);

 private:
  struct Leaving {
    BrokerEpoch epoch;
    BrokerWorkKind kind;
  };
  struct Losing {
    BrokerEpoch epoch;
    std::vector<DirectoryId> directories;  // ascending
    std::uint32_t from = 0;
  };
  Done leave(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  Done move_away(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  void elect(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  void reassign(const HandlerContext& context, std::size_t max_partitions, RecordList& records);
  void note_marks();

  std::map<NodeId, Leaving> leaving_;
  std::map<NodeId, Losing> losing_;
  std::set<NodeId> electing_;
  bool reassigning_ = false;
  std::vector<NodeId> ineligible_;
  std::vector<LostDirectory> lost_directories_;
  std::uint32_t leave_from_ = 0;  // slots: where the next slice begins
  std::uint32_t elect_from_ = 0;
  std::uint32_t reassign_from_ = 0;
};

// Whether that many partitions are changed at once: the bound of every slice.
inline bool fits_one_slice(const HandlerContext& context, std::size_t partitions) {
  return partitions <= context.config.partitions_per_slice;
}
inline bool is_changing(const HandlerContext& context, NodeId broker) {
  return std::ranges::binary_search(context.ineligible_brokers, broker);
}

}  // namespace hayward::core

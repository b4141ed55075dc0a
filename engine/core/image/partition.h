// One partition's state, as small as it can be kept: what every index and handler reads.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/image/small_list.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// A topic's place in the order of creation; never used again within one image.
using TopicOrdinal = std::uint32_t;

enum class LeaderRecoveryState : std::int8_t { recovered = 0, recovering = 1 };

class Partition {
 public:
  TopicOrdinal topic = 0;
  PartitionIndex index{0};
  NodeId leader = no_node;
  LeaderEpoch leader_epoch{0};
  PartitionEpoch partition_epoch{0};
  LeaderRecoveryState leader_recovery_state = LeaderRecoveryState::recovered;

  std::span<const NodeId> replicas() const { return replicas_.view(); }
  std::span<const NodeId> isr() const { return isr_.view(); }
  // One per replica, in the order of replicas(); MIGRATING where none was ever recorded.
  std::span<const DirectoryId> directories() const { return directories_.view(); }
  std::span<const NodeId> removing_replicas() const { return rare_ ? std::span<const NodeId>(rare_->removing) : std::span<const NodeId>(); }
  std::span<const NodeId> adding_replicas() const { return rare_ ? std::span<const NodeId>(rare_->adding) : std::span<const NodeId>(); }
  std::span<const NodeId> elr() const { return rare_ ? std::span<const NodeId>(rare_->elr) : std::span<const NodeId>(); }
  std::span<const NodeId> last_known_elr() const { return rare_ ? std::span<const NodeId>(rare_->last_known_elr) : std::span<const NodeId>(); }

  bool has_leader() const { return leader != no_node; }
  // replicas[0], or -1 without replicas.
  NodeId preferred_replica() const { return replicas().empty() ? no_node : replicas()[0]; }
  bool has_preferred_leader() const { return leader == preferred_replica(); }
  bool is_reassigning() const { return !removing_replicas().empty() || !adding_replicas().empty(); }
  bool is_replica(NodeId node) const { return contains(replicas(), node); }
  bool in_isr(NodeId node) const { return contains(isr(), node); }
  bool in_elr(NodeId node) const { return contains(elr(), node); }
  // Where `node` keeps its replica; nullptr if it is none.
  const DirectoryId* directory_of(NodeId node) const;

  void set_replicas(std::span<const NodeId> nodes) { replicas_.assign(nodes); }
  void set_isr(std::span<const NodeId> nodes) { isr_.assign(nodes); }
  void set_directories(std::span<const DirectoryId> directories) { directories_.assign(directories); }
  void set_removing_replicas(std::span<const NodeId> nodes) { set_rare(&Rare::removing, nodes); }
  void set_adding_replicas(std::span<const NodeId> nodes) { set_rare(&Rare::adding, nodes); }
  void set_elr(std::span<const NodeId> nodes) { set_rare(&Rare::elr, nodes); }
  void set_last_known_elr(std::span<const NodeId> nodes) { set_rare(&Rare::last_known_elr, nodes); }

  Partition() = default;
  Partition(const Partition& other);
  Partition& operator=(const Partition& other);
  Partition(Partition&&) noexcept = default;
  Partition& operator=(Partition&&) noexcept = default;

  // Bytes on the heap beside the object itself.
  std::size_t heap_bytes() const;

  static bool contains(std::span<const NodeId> nodes, NodeId node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  }

  friend bool operator==(const Partition& a, const Partition& b);

 private:
  // Empty for a partition at rest, so it is not paid for there.
  struct Rare {
    std::vector<NodeId> removing;
    std::vector<NodeId> adding;
    std::vector<NodeId> elr;
    std::vector<NodeId> last_known_elr;
  };
  void set_rare(std::vector<NodeId> Rare::*list, std::span<const NodeId> nodes);

  SmallList<NodeId, 3> replicas_;
  SmallList<NodeId, 3> isr_;
  SmallList<DirectoryId, 3> directories_;
  std::unique_ptr<Rare> rare_;
};

}  // namespace hayward::core

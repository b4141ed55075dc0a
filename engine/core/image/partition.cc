// Partition: what is not a plain field.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/partition.h"

namespace hayward::core {

const DirectoryId* Partition::directory_of(NodeId node) const {
  const std::span<const NodeId> nodes = replicas();
  const auto at = static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  return at < directories().size() ? &directories()[at] : nullptr;
}

Partition::Partition(const Partition& other)
    : topic(other.topic),
      index(other.index),
      leader(other.leader),
      leader_epoch(other.leader_epoch),
      partition_epoch(other.partition_epoch),
      leader_recovery_state(other.leader_recovery_state),
      replicas_(other.replicas_),
      isr_(other.isr_),
      directories_(other.directories_),
      rare_(other.rare_ ? std::make_unique<Rare>(*other.rare_) : nullptr) {}

Partition& Partition::operator=(const Partition& other) {
  if (this != &other) *this = Partition(other);
  return *this;
}

void Partition::set_rare(std::vector<NodeId> Rare::*list, std::span<const NodeId> nodes) {
  if (!rare_) {
    if (nodes.empty()) return;
    rare_ = std::make_unique<Rare>();
  }
  ((*rare_).*list).assign(nodes.begin(), nodes.end());
  if (rare_->removing.empty() && rare_->adding.empty() && rare_->elr.empty() && rare_->last_known_elr.empty()) {
    rare_.reset();
  }
}

std::size_t Partition::heap_bytes() const {
  std::size_t bytes = replicas_.heap_bytes() + isr_.heap_bytes() + directories_.heap_bytes();
  if (rare_) {
    bytes += sizeof(Rare) + sizeof(NodeId) * (rare_->removing.capacity() + rare_->adding.capacity() +
                                              rare_->elr.capacity() + rare_->last_known_elr.capacity());
  }
  return bytes;
}

bool operator==(const Partition& a, const Partition& b) {
  return a.topic == b.topic && a.index == b.index && a.leader == b.leader && a.leader_epoch == b.leader_epoch &&
         a.partition_epoch == b.partition_epoch && a.leader_recovery_state == b.leader_recovery_state &&
         a.replicas_ == b.replicas_ && a.isr_ == b.isr_ && a.directories_ == b.directories_ &&
         std::ranges::equal(a.removing_replicas(), b.removing_replicas()) &&
         std::ranges::equal(a.adding_replicas(), b.adding_replicas()) && std::ranges::equal(a.elr(), b.elr()) &&
         std::ranges::equal(a.last_known_elr(), b.last_known_elr());
}

}  // namespace hayward::core

// See frozen_topics.h.
#include "engine/core/image/frozen_topics.h"

#include <algorithm>

#include "engine/core/image/topics.h"

namespace hayward::core {

FrozenTopics::FrozenTopics(const Topics& topics) : topics_(topics), end_(topics.next_ordinal()) {}

FrozenTopics::~FrozenTopics() = default;

void FrozenTopics::before_topic(TopicOrdinal ordinal) {
  if (has_passed(ordinal) || topics_then_.contains(ordinal)) return;
  const auto present = topics_.all().find(ordinal);
  topics_then_[ordinal] = present == topics_.all().end() ? nullptr : copy_of(present->second);
}

void FrozenTopics::before_partition(TopicOrdinal ordinal, PartitionIndex index) {
  if (has_passed(ordinal) || topics_then_.contains(ordinal)) return;
  if (ordinal == at_ && index < next_) return;
  const Key key{ordinal, index};
  if (partitions_.contains(key)) return;
  const Partition* now = topics_.partition(topics_.all().at(ordinal), index);
  partitions_.emplace(key, now == nullptr ? std::nullopt : std::optional(*now));
}

std::unique_ptr<DetachedTopic> FrozenTopics::copy_of(const Topic& topic) const {
  auto copy = std::make_unique<DetachedTopic>();
  copy->id = topic.id;
  copy->name = topic.name;
  for (const std::uint32_t slot : topic.slots) {
    const Partition& now = topics_.at_slot(slot);
    const auto then = partitions_.find({topic.ordinal, now.index});
    if (then == partitions_.end()) copy->partitions.push_back(now);
    else if (then->second) copy->partitions.push_back(*then->second);
  }
  return copy;
}

std::optional<TopicOrdinal> FrozenTopics::next_topic() const {
  const auto present = topics_.all().lower_bound(at_);
  const auto then = topics_then_.lower_bound(at_);
  TopicOrdinal next = end_;
  if (present != topics_.all().end()) next = std::min(next, present->first);
  if (then != topics_then_.end()) next = std::min(next, then->first);
  return next == end_ ? std::nullopt : std::optional(next);
}

bool FrozenTopics::walk(std::size_t max_visits, Visitor& visitor) {
  std::size_t visits = max_visits;
  for (auto next = next_topic(); next; next = next_topic()) {
    at_ = *next;
    const auto then = topics_then_.find(at_);
    bool done = true;
    if (then == topics_then_.end()) done = walk_present(topics_.all().at(at_), visits, visitor);
    else if (then->second) done = walk_past(*then->second, visits, visitor);
    if (!done) return true;
    topics_then_.erase(at_);
    partitions_.erase(partitions_.begin(), partitions_.upper_bound({at_, PartitionIndex{INT32_MAX}}));
    ++at_;
    begun_ = false;
    next_ = PartitionIndex{INT32_MIN};
  }
  at_ = end_;
  return false;
}

bool FrozenTopics::begin_topic(TopicId id, std::string_view name, std::size_t& visits, Visitor& visitor) {
  if (begun_) return true;
  if (visits == 0) return false;
  --visits;
  visitor.topic(id, name);
  begun_ = true;
  return true;
}

bool FrozenTopics::walk_present(const Topic& topic, std::size_t& visits, Visitor& visitor) {
  if (!begin_topic(topic.id, topic.name, visits, visitor)) return false;
  const auto first = std::lower_bound(topic.slots.begin(), topic.slots.end(), next_, [this](std::uint32_t slot, PartitionIndex i) {
    return topics_.at_slot(slot).index < i;
  });
  for (auto slot = first; slot != topic.slots.end(); ++slot) {
    if (visits == 0) return false;
    const Partition& now = topics_.at_slot(*slot);
    const auto then = partitions_.empty() ? partitions_.end() : partitions_.find({topic.ordinal, now.index});
    next_ = PartitionIndex{now.index.value + 1};
    if (then != partitions_.end() && !then->second) continue;
    --visits;
    visitor.partition(topic.id, then == partitions_.end() ? now : *then->second);
  }
  return true;
}

bool FrozenTopics::walk_past(const DetachedTopic& topic, std::size_t& visits, Visitor& visitor) {
  if (!begin_topic(topic.id, topic.name, visits, visitor)) return false;
  for (const Partition& partition : topic.partitions) {
    if (partition.index < next_) continue;
    if (visits == 0) return false;
    --visits;
    next_ = PartitionIndex{partition.index.value + 1};
    visitor.partition(topic.id, partition);
  }
  return true;
}

}  // namespace hayward::core

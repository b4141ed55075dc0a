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
  if (ordinal == at_ && index.value < next_) return;
  const Key key{ordinal, index};
  if (partitions_.contains(key)) return;
  const Partition* now = topics_.partition(topics_.all().at(ordinal), index);
  partitions_.emplace(key, now == nullptr ? std::nullopt : std::optional(*now));
}

template <class Visit>
bool FrozenTopics::each_partition(const Topic& topic, std::int64_t from, Visit&& visit) const {
  if (from > INT32_MAX) return true;
  const PartitionIndex first{static_cast<std::int32_t>(std::max<std::int64_t>(from, INT32_MIN))};
  auto slot = std::lower_bound(topic.slots.begin(), topic.slots.end(), first,
                               [this](std::uint32_t s, PartitionIndex i) { return topics_.at_slot(s).index < i; });
  auto then = partitions_.lower_bound({topic.ordinal, first});
  const auto then_end = partitions_.upper_bound({topic.ordinal, PartitionIndex{INT32_MAX}});
  while (slot != topic.slots.end() || then != then_end) {
    const Partition* now = slot == topic.slots.end() ? nullptr : &topics_.at_slot(*slot);
    const bool has_changed = then != then_end && (now == nullptr || then->first.second <= now->index);
    const PartitionIndex index = has_changed ? then->first.second : now->index;
    const Partition* was = !has_changed ? now : then->second ? &*then->second : nullptr;
    if (!visit(index, was)) return false;
    if (now != nullptr && now->index == index) ++slot;
    if (has_changed) ++then;
  }
  return true;
}

std::unique_ptr<DetachedTopic> FrozenTopics::copy_of(const Topic& topic) const {
  auto copy = std::make_unique<DetachedTopic>();
  copy->id = topic.id;
  copy->name = topic.name;
  each_partition(topic, INT64_MIN, [&](PartitionIndex, const Partition* was) {
    if (was != nullptr) copy->partitions.push_back(*was);
    return true;
  });
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

bool FrozenTopics::walk(WalkBudget& budget, Visitor& visitor) {
  for (auto next = next_topic(); next; next = next_topic()) {
    at_ = *next;
    const auto then = topics_then_.find(at_);
    bool done = true;
    if (then == topics_then_.end()) done = walk_present(topics_.all().at(at_), budget, visitor);
    else if (then->second) done = walk_past(*then->second, budget, visitor);
    else if (budget.spent()) done = false;
    else budget.charge(1);
    if (!done) return false;
    topics_then_.erase(at_);
    partitions_.erase(partitions_.begin(), partitions_.upper_bound({at_, PartitionIndex{INT32_MAX}}));
    ++at_;
    begun_ = false;
    next_ = INT64_MIN;
  }
  at_ = end_;
  return true;
}

bool FrozenTopics::begin_topic(TopicId id, std::string_view name, WalkBudget& budget, Visitor& visitor) {
  if (begun_) return true;
  if (budget.spent()) return false;
  budget.charge(1);
  visitor.topic(id, name);
  begun_ = true;
  return true;
}

bool FrozenTopics::walk_present(const Topic& topic, WalkBudget& budget, Visitor& visitor) {
  if (!begin_topic(topic.id, topic.name, budget, visitor)) return false;
  return each_partition(topic, next_, [&](PartitionIndex index, const Partition* was) {
    if (budget.spent()) return false;
    budget.charge(1);
    next_ = std::int64_t{index.value} + 1;
    if (was != nullptr) visitor.partition(topic.id, *was);
    return true;
  });
}

bool FrozenTopics::walk_past(const DetachedTopic& topic, WalkBudget& budget, Visitor& visitor) {
  if (!begin_topic(topic.id, topic.name, budget, visitor)) return false;
  const auto first = std::lower_bound(topic.partitions.begin(), topic.partitions.end(), next_,
                                      [](const Partition& partition, std::int64_t i) { return partition.index.value < i; });
  for (auto partition = first; partition != topic.partitions.end(); ++partition) {
    if (budget.spent()) return false;
    budget.charge(1);
    next_ = std::int64_t{partition->index.value} + 1;
    visitor.partition(topic.id, *partition);
  }
  return true;
}

}  // namespace hayward::core

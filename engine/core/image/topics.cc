// Topics: look-ups, and the two exchanges by which everything about topics changes.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/topics.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

bool may_collide(std::string_view name) { return name.find_first_of("._") != std::string_view::npos; }

std::string unified(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '.', '_');
  return text;
}

}  // namespace

const Topic* Topics::find(TopicId id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : at->second;
}

const Topic* Topics::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

// Where `index` is in topic.slots, or would be. Partitions are nearly always numbered from 0 without
// gaps, so their place is their number.
std::size_t Topics::place_of(const Topic& topic, PartitionIndex index) const {
  const auto guess = static_cast<std::size_t>(index.value);
  if (index.value >= 0 && guess < topic.slots.size() && at_slot(topic.slots[guess]).index == index) return guess;
  const auto at = std::lower_bound(topic.slots.begin(), topic.slots.end(), index,
                                   [this](std::uint32_t slot, PartitionIndex i) { return at_slot(slot).index < i; });
  return static_cast<std::size_t>(at - topic.slots.begin());
}

const Partition* Topics::partition(const Topic& topic, PartitionIndex index) const {
  const std::size_t at = place_of(topic, index);
  if (at == topic.slots.size()) return nullptr;
  const Partition& partition = at_slot(topic.slots[at]);
  return partition.index == index ? &partition : nullptr;
}

const Partition* Topics::partition(TopicId id, PartitionIndex index) const {
  const Topic* topic = find(id);
  return topic ? partition(*topic, index) : nullptr;
}

const std::string* Topics::colliding_name(std::string_view name) const {
  if (!may_collide(name)) return nullptr;
  const auto at = collisions_.find(unified(name));
  return at == collisions_.end() ? nullptr : &*at->second.begin();
}

std::uint32_t Topics::place(Partition&& partition) {
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = slots_used_++;
    if (slot / chunk_size == chunks_.size()) chunks_.push_back(std::make_unique<Partition[]>(chunk_size));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  mutable_slot(slot) = std::move(partition);
  indexes_.update(slot, nullptr, &at_slot(slot));
  ++partition_count_;
  return slot;
}

Partition Topics::remove(std::uint32_t slot) {
  indexes_.update(slot, &at_slot(slot), nullptr);
  Partition taken = std::move(mutable_slot(slot));
  mutable_slot(slot) = Partition();
  free_slots_.push_back(slot);
  --partition_count_;
  return taken;
}

void Topics::exchange_topic(TopicOrdinal ordinal, std::unique_ptr<DetachedTopic>& other) {
  if (!other) {
    other = detach(ordinal);
    return;
  }
  attach(ordinal, std::move(*other));
  other.reset();
}

void Topics::attach(TopicOrdinal ordinal, DetachedTopic&& from) {
  const auto [at, added] = topics_.try_emplace(ordinal);
  HAYWARD_ASSERT(added, "a topic's ordinal is free when it is put in");
  Topic& topic = at->second;
  topic.id = from.id;
  topic.name = std::move(from.name);
  topic.ordinal = ordinal;
  topic.slots.reserve(from.partitions.size());
  for (Partition& partition : from.partitions) topic.slots.push_back(place(std::move(partition)));
  by_id_[topic.id] = &topic;
  by_name_[topic.name] = &topic;
  if (may_collide(topic.name)) collisions_[unified(topic.name)].insert(topic.name);
  next_ordinal_ = std::max(next_ordinal_, ordinal + 1);
}

std::unique_ptr<DetachedTopic> Topics::detach(TopicOrdinal ordinal) {
  const auto at = topics_.find(ordinal);
  HAYWARD_ASSERT(at != topics_.end(), "a topic that is taken out is there");
  Topic& topic = at->second;
  auto taken = std::make_unique<DetachedTopic>();
  taken->id = topic.id;
  taken->partitions.reserve(topic.slots.size());
  for (const std::uint32_t slot : topic.slots) taken->partitions.push_back(remove(slot));
  by_id_.erase(topic.id);
  by_name_.erase(topic.name);
  if (may_collide(topic.name)) {
    const auto names = collisions_.find(unified(topic.name));
    names->second.erase(topic.name);
    if (names->second.empty()) collisions_.erase(names);
  }
  taken->name = std::move(topic.name);
  topics_.erase(at);
  return taken;
}

void Topics::exchange_partition(TopicOrdinal ordinal, PartitionIndex index, std::optional<Partition>& other) {
  Topic& topic = topics_.at(ordinal);
  const std::size_t at = place_of(topic, index);
  const auto place_in_topic = topic.slots.begin() + static_cast<std::ptrdiff_t>(at);
  if (at == topic.slots.size() || at_slot(topic.slots[at]).index != index) {
    HAYWARD_ASSERT(other.has_value(), "a partition that is taken out is there");
    topic.slots.insert(place_in_topic, place(std::move(*other)));
    other.reset();
  } else if (!other) {
    other = remove(topic.slots[at]);
    topic.slots.erase(place_in_topic);
  } else {
    const std::uint32_t slot = topic.slots[at];
    std::swap(mutable_slot(slot), *other);
    indexes_.update(slot, &*other, &at_slot(slot));
  }
}

std::size_t Topics::memory_bytes() const {
  constexpr std::size_t map_node = 40;   // tree or list links, hash, allocator
  std::size_t bytes = chunks_.size() * chunk_size * sizeof(Partition) + chunks_.capacity() * sizeof(chunks_[0]) +
                      free_slots_.capacity() * sizeof(std::uint32_t) + indexes_.heap_bytes();
  for (std::uint32_t slot = 0; slot < slots_used_; ++slot) bytes += at_slot(slot).heap_bytes();
  for (const auto& [ordinal, topic] : topics_) {
    bytes += sizeof(ordinal) + sizeof(topic) + topic.name.capacity() + topic.slots.capacity() * sizeof(std::uint32_t) +
             3 * map_node + sizeof(TopicId) + sizeof(std::string_view);
  }
  return bytes;
}

}  // namespace hayward::core

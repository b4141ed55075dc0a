// Topics and their partitions, with the indexes by broker. Walks go in a fixed order (topics by
// creation, partitions by slot), never in hash order.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/image/partition.h"
#include "engine/core/image/partition_index.h"
#include "engine/core/image/slot_set.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

struct Topic {
  TopicId id;
  std::string name;
  TopicOrdinal ordinal = 0;
  std::vector<std::uint32_t> slots;  // its partitions, ascending by index (use Topics::partition)
};

// A topic taken out of the image, whole.
struct DetachedTopic {
  TopicId id;
  std::string name;
  std::vector<Partition> partitions;
};

class Topics;

// A walk over one index, ascending by slot.
class PartitionRange {
 public:
  PartitionRange(const Topics& topics, const SlotSet& slots) : topics_(&topics), slots_(&slots) {}

  class Iterator {
   public:
    using value_type = Partition;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Topics* topics, SlotSet::Iterator at) : topics_(topics), at_(at) {}
    const Partition& operator*() const;
    const Partition* operator->() const { return &**this; }
    std::uint32_t slot() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Topics* topics_ = nullptr;
    SlotSet::Iterator at_;
  };

  // The image must not change while a range or an Iterator lives.
  Iterator begin() const { return {topics_, slots_->begin()}; }
  Iterator end() const { return {topics_, slots_->end()}; }
  std::size_t size() const { return slots_->size(); }
  bool empty() const { return slots_->empty(); }
  // The first slot >= `slot` that is in the index: for work in slices, which takes a new range for each slice and
  // goes on where it was.
  std::optional<std::uint32_t> next_slot(std::uint32_t slot) const { return slots_->at_or_after(slot); }

 private:
  const Topics* topics_;
  const SlotSet* slots_;
};

class Topics {
 public:
  Topics() = default;
  Topics(const Topics&) = delete;
  Topics& operator=(const Topics&) = delete;
  Topics(Topics&&) = default;
  Topics& operator=(Topics&&) = default;

  // nullptr: no such topic or partition. Pointers are good until the next replay.
  const Topic* find(TopicId id) const;
  const Topic* find(std::string_view name) const;
  const Partition* partition(const Topic& topic, PartitionIndex index) const;
  const Partition* partition(TopicId id, PartitionIndex index) const;
  // The topic that `partition`, a partition of this image, belongs to.
  const Topic& topic_of(const Partition& partition) const { return topics_.at(partition.topic); }
  const Partition& at_slot(std::uint32_t slot) const { return chunks_[slot / chunk_size][slot % chunk_size]; }

  // In order of creation.
  const std::map<TopicOrdinal, Topic>& all() const { return topics_; }
  std::size_t partition_count() const { return partition_count_; }

  PartitionRange led_by(NodeId broker) const { return {*this, indexes_.broker(broker).leads}; }
  PartitionRange in_isr_of(NodeId broker) const { return {*this, indexes_.broker(broker).in_isr}; }
  PartitionRange replica_of(NodeId broker) const { return {*this, indexes_.broker(broker).replica}; }
  PartitionRange in_elr_of(NodeId broker) const { return {*this, indexes_.broker(broker).in_elr}; }
  // Partitions without a leader of which the broker is a replica.
  PartitionRange leaderless_of(NodeId broker) const { return {*this, indexes_.broker(broker).leaderless}; }
  PartitionRange leaderless() const { return {*this, indexes_.leaderless()}; }
  PartitionRange imbalanced() const { return {*this, indexes_.imbalanced()}; }
  PartitionRange reassigning() const { return {*this, indexes_.reassigning()}; }

  // A topic whose name differs from `name` at most in '.' for '_' (they would share a metric name);
  // nullptr: none.
  const std::string* colliding_name(std::string_view name) const;

  const PartitionIndexes& indexes() const { return indexes_; }
  // Bytes held for topics, partitions and indexes (measured, not exact to the allocator's overhead).
  std::size_t memory_bytes() const;

  // Changes: each exchanges what is there for what is given, which is also how it is undone.
  // Puts the topic in (present on return: nullptr) or takes it out (given nullptr).
  void exchange_topic(TopicOrdinal ordinal, std::unique_ptr<DetachedTopic>& other);
  void exchange_partition(TopicOrdinal topic, PartitionIndex index, std::optional<Partition>& other);
  // The place that the next new topic gets.
  TopicOrdinal next_ordinal() const { return next_ordinal_; }

 private:
  static constexpr std::size_t chunk_size = 256;

  std::size_t place_of(const Topic& topic, PartitionIndex index) const;
  // These keep the indexes right.
  std::uint32_t place(Partition&& partition);
  Partition remove(std::uint32_t slot);
  Partition& mutable_slot(std::uint32_t slot) { return chunks_[slot / chunk_size][slot % chunk_size]; }
  void attach(TopicOrdinal ordinal, DetachedTopic&& from);
  std::unique_ptr<DetachedTopic> detach(TopicOrdinal ordinal);

  std::map<TopicOrdinal, Topic> topics_;
  std::unordered_map<TopicId, Topic*> by_id_;                // lookups only
  std::unordered_map<std::string_view, Topic*> by_name_;     // lookups only; views of Topic::name
  std::map<std::string, std::set<std::string>, std::less<>> collisions_;  // '.' as '_' -> names that hold either
  std::vector<std::unique_ptr<Partition[]>> chunks_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_used_ = 0;
  std::size_t partition_count_ = 0;
  TopicOrdinal next_ordinal_ = 0;
  PartitionIndexes indexes_;
};

inline const Partition& PartitionRange::Iterator::operator*() const { return topics_->at_slot(*at_); }

}  // namespace hayward::core

// Topics as they were at one moment, walked in slices while they change: whatever changes before the walk has
// passed it leaves its pre-image here at its first change. Memory follows what changes during the walk.
// Owner: a FrozenImage. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/image/partition.h"
#include "engine/core/image/walk_budget.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Topics;
struct Topic;
struct DetachedTopic;

class FrozenTopics {
 public:
  // Now is the moment.
  explicit FrozenTopics(const Topics& topics);
  ~FrozenTopics();

  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void topic(TopicId id, std::string_view name) = 0;
    virtual void partition(TopicId topic, const Partition& partition) = 0;
  };
  // Walks on, by creation and number, until the budget is spent. True: all have been visited.
  bool walk(WalkBudget& budget, Visitor& visitor);

  // Before the topic is put in or taken out, and before the partition is put in, changed or taken out.
  void before_topic(TopicOrdinal ordinal);
  void before_partition(TopicOrdinal ordinal, PartitionIndex index);

  std::size_t pre_images() const { return partitions_.size() + topics_then_.size(); }

 private:
  using Key = std::pair<TopicOrdinal, PartitionIndex>;
  bool has_passed(TopicOrdinal ordinal) const { return ordinal < at_ || ordinal >= end_; }
  std::unique_ptr<DetachedTopic> copy_of(const Topic& topic) const;
  std::optional<TopicOrdinal> next_topic() const;
  // For each number, from `from` on, of a partition that is there or has changed: visit(index, what was there or nullptr),
  // until that says false.
  template <class Visit>
  bool each_partition(const Topic& topic, std::int64_t from, Visit&& visit) const;
  // Each visits the rest of one topic, or as much as the budget allows; true: the topic is done.
  bool walk_present(const Topic& topic, WalkBudget& budget, Visitor& visitor);
  bool walk_past(const DetachedTopic& topic, WalkBudget& budget, Visitor& visitor);
  bool begin_topic(TopicId id, std::string_view name, WalkBudget& budget, Visitor& visitor);

  const Topics& topics_;
  const TopicOrdinal end_;           // topics from here on came later
  TopicOrdinal at_ = 0;              // the topic that is being visited or comes next
  bool begun_ = false;               // it has been visited itself
  std::int64_t next_ = INT64_MIN;    // its partitions of this number and above have not
  std::map<TopicOrdinal, std::unique_ptr<DetachedTopic>> topics_then_;  // of those put in or out; nullptr: not there
  std::map<Key, std::optional<Partition>> partitions_;                  // of those changed; nullopt: not there
};

}  // namespace hayward::core

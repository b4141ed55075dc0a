// The partitions as one operation sees them while it goes on: the image, and above it what the operation
// has decided already, so that several changes to one partition add up instead of undoing each other.
// Owner: engine/core/control; lives for one operation. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "engine/core/control/context.h"
#include "engine/core/control/eligibility.h"
#include "engine/core/control/partition_change_builder.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"

namespace hayward::core {

// The layers out of which this node's broker values come.
BrokerLayers broker_layers(const HandlerContext& context);

class PartitionChanges {
 public:
  // `context` and `records` must outlive this.
  PartitionChanges(const HandlerContext& context, RecordList& records);

  const HandlerContext& context() const { return context_; }
  const Topics& topics() const { return context_.image.topics(); }
  RecordList& records() { return records_; }

  // `partition` of the image with this operation's changes; good until the next add().
  const Partition& now(const Partition& partition) const;

  // What the partition's topic allows its elections.
  PartitionChangeBuilder::Rules rules_of(const Topic& topic) const;
  // unclean where the topic's unclean.leader.election.enable says so, else online.
  Election election_of(const Topic& topic) const;

  // Adds the record that `builder`, made from now(partition), comes to. False: nothing changes.
  bool add(const Partition& partition, PartitionChangeBuilder& builder);

 private:
  struct OfTopic {
    std::size_t min_isr = 1;
    bool unclean = false;
  };
  const OfTopic& of_topic(const Topic& topic) const;

  const HandlerContext& context_;
  RecordList& records_;
  ElectionConfigs configs_;
  std::map<std::pair<TopicOrdinal, PartitionIndex>, Partition> changed_;
  mutable std::optional<TopicOrdinal> cached_topic_;  // partitions come topic by topic, mostly
  mutable OfTopic cached_;
};

}  // namespace hayward::core

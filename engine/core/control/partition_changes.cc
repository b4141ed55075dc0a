#include "engine/core/control/partition_changes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/core/image/replay.h"

namespace hayward::core {

BrokerLayers broker_layers(const HandlerContext& context) {
  const Configs& configs = context.image.configs();
  return {&configs.of(ConfigResourceType::broker, std::to_string(context.config.node_id.value)),
          &configs.of(ConfigResourceType::broker, ""), &context.config.static_configs};
}

PartitionChanges::PartitionChanges(const HandlerContext& context, RecordList& records)
    : context_(context), records_(records), configs_(broker_layers(context)) {}

const Partition& PartitionChanges::now(const Partition& partition) const {
  const auto at = changed_.find({partition.topic, partition.index});
  return at == changed_.end() ? partition : at->second;
}

const PartitionChanges::OfTopic& PartitionChanges::of_topic(const Topic& topic) const {
  if (cached_topic_ == topic.ordinal) return cached_;
  const ConfigMap& configs = context_.image.configs().of(ConfigResourceType::topic, topic.name);
  const Partition* first = topics().partition(topic, PartitionIndex{0});
  const std::size_t replicas = first == nullptr ? 1 : first->replicas().size();
  cached_.min_isr = std::min(static_cast<std::size_t>(configs_.min_insync_replicas(&configs)), replicas);
  cached_.unclean = configs_.unclean_election_enabled(&configs);
  cached_topic_ = topic.ordinal;
  return cached_;
}

PartitionChangeBuilder::Rules PartitionChanges::rules_of(const Topic& topic) const {
  return {records_.metadata_version(), records_.elr_enabled(), of_topic(topic).min_isr};
}

Election PartitionChanges::election_of(const Topic& topic) const {
  return of_topic(topic).unclean ? Election::unclean : Election::online;
}

bool PartitionChanges::add(const Partition& partition, PartitionChangeBuilder& builder) {
  const records::PartitionChangeRecord* record = builder.build();
  if (record == nullptr) return false;
  auto after = merge(now(partition), *record);
  if (!after) return false;  // an epoch at its end: nothing can be changed any more
  records_.add(*record);
  changed_.insert_or_assign({partition.topic, partition.index}, std::move(*after));
  return true;
}

}  // namespace hayward::core

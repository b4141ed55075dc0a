// See cluster_view.h.
#include "tools/load/cluster_view.h"

#include <algorithm>
#include <utility>

#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/fence_broker_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/unfence_broker_record.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::tools {
namespace {

constexpr NodeId leader_unchanged{-2};
constexpr std::int32_t max_index = 1 << 20;  // of a partition: what a record says must not take memory without bound

}  // namespace

ClusterView::Change ClusterView::set_fenced(NodeId broker, bool fenced) {
  Broker& known = brokers_[broker];
  if (known.fenced == fenced) return {};
  known.fenced = fenced;
  return fenced ? Change{Change::What::fenced, no_node, broker} : Change{};
}

template <>
ClusterView::Change ClusterView::put(const records::PartitionRecord& r) {
  if (r.partition_id.value < 0 || r.partition_id.value > max_index) return {};
  const auto index = static_cast<std::size_t>(r.partition_id.value);
  auto& partitions = topics_[r.topic_id];
  if (partitions.size() <= index) {
    partition_count_ += index + 1 - partitions.size();
    partitions.resize(index + 1);
  }
  partitions[index] = {r.leader, r.leader_epoch, r.partition_epoch, {r.isr.begin(), r.isr.end()}};
  return {};
}

template <>
ClusterView::Change ClusterView::put(const records::PartitionChangeRecord& r) {
  const auto topic = topics_.find(r.topic_id);
  if (topic == topics_.end() || static_cast<std::size_t>(r.partition_id.value) >= topic->second.size()) return {};
  Partition& partition = topic->second[static_cast<std::size_t>(r.partition_id.value)];
  ++partition.partition_epoch.value;
  if (!r.isr.is_null()) partition.isr.assign(r.isr.begin(), r.isr.end());
  if (r.leader == leader_unchanged) return {};
  ++partition.leader_epoch.value;
  return {Change::What::leader, std::exchange(partition.leader, r.leader), r.leader};
}

template <>
ClusterView::Change ClusterView::put(const records::RemoveTopicRecord& r) {
  const auto topic = topics_.find(r.topic_id);
  if (topic == topics_.end()) return {};
  partition_count_ -= topic->second.size();
  topics_.erase(topic);
  return {};
}

template <>
ClusterView::Change ClusterView::put(const records::RegisterBrokerRecord& r) {
  brokers_[r.broker_id] = {r.broker_epoch, r.fenced};
  return {};
}

template <>
ClusterView::Change ClusterView::put(const records::BrokerRegistrationChangeRecord& r) {
  return r.fenced == 0 ? Change{} : set_fenced(r.broker_id, r.fenced > 0);
}

template <>
ClusterView::Change ClusterView::put(const records::FenceBrokerRecord& r) {
  return set_fenced(r.id, true);
}

template <>
ClusterView::Change ClusterView::put(const records::UnfenceBrokerRecord& r) {
  return set_fenced(r.id, false);
}

template <>
ClusterView::Change ClusterView::put(const records::UnregisterBrokerRecord& r) {
  brokers_.erase(r.broker_id);
  return {};
}

template <class Record>
ClusterView::Change ClusterView::apply_body(const records::Frame& frame) {
  arena_.reset();
  const auto record = records::decode_body<Record>(frame, arena_);
  return record ? put(*record) : Change{};
}

ClusterView::Change ClusterView::apply(Bytes value) {
  using namespace records;
  const auto frame = parse_frame(value);
  if (!frame) return {};
  switch (frame->type) {
    case RecordType::partition:
      return apply_body<PartitionRecord>(*frame);
    case RecordType::partition_change:
      return apply_body<PartitionChangeRecord>(*frame);
    case RecordType::remove_topic:
      return apply_body<RemoveTopicRecord>(*frame);
    case RecordType::register_broker:
      return apply_body<RegisterBrokerRecord>(*frame);
    case RecordType::broker_registration_change:
      return apply_body<BrokerRegistrationChangeRecord>(*frame);
    case RecordType::fence_broker:
      return apply_body<FenceBrokerRecord>(*frame);
    case RecordType::unfence_broker:
      return apply_body<UnfenceBrokerRecord>(*frame);
    case RecordType::unregister_broker:
      return apply_body<UnregisterBrokerRecord>(*frame);
    default:
      return {};
  }
}

std::size_t ClusterView::led_by(const std::vector<NodeId>& nodes) const {
  std::size_t count = 0;
  for (const auto& [id, partitions] : topics_) {
    for (const Partition& partition : partitions) count += std::ranges::binary_search(nodes, partition.leader);
  }
  return count;
}

bool ClusterView::fenced(NodeId broker) const {
  const auto found = brokers_.find(broker);
  return found == brokers_.end() || found->second.fenced;
}

std::vector<LedPartition> ClusterView::altered_candidates(std::size_t limit) const {
  std::vector<LedPartition> result;
  for (const auto& [id, partitions] : topics_) {
    for (std::size_t i = 0; i < partitions.size() && result.size() < limit; ++i) {
      const Partition& partition = partitions[i];
      if (partition.isr.size() < 2 || std::ranges::any_of(partition.isr, [&](NodeId n) { return fenced(n); })) continue;
      LedPartition led{
          id, PartitionIndex{static_cast<std::int32_t>(i)}, partition.leader_epoch, partition.partition_epoch, {}};
      for (NodeId node : partition.isr) led.isr.push_back({node, brokers_.at(node).epoch});
      const auto leader = std::ranges::find(led.isr, partition.leader, &InSyncReplica::id);
      if (leader == led.isr.end()) continue;
      std::iter_swap(led.isr.begin(), leader);
      result.push_back(std::move(led));
    }
  }
  return result;
}

}  // namespace hayward::tools

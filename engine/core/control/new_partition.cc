#include "engine/core/control/new_partition.h"

#include <algorithm>
#include <string>

#include "engine/core/image/image.h"
#include "schemas/records/partition_record.h"

namespace hayward::core {
namespace {

ApiFault invalid(std::string text) { return {ErrorCode::invalid_replica_assignment, std::move(text)}; }

}  // namespace

std::optional<ApiFault> check_replicas(const Cluster& cluster, std::span<const NodeId> replicas) {
  if (replicas.empty()) return invalid("An assignment lists no brokers");
  std::vector<NodeId> sorted(replicas.begin(), replicas.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::string id = std::to_string(sorted[i].value);
    if (cluster.broker(sorted[i]) == nullptr) {
      return invalid("An assignment lists broker " + id + ", which is not registered");
    }
    if (i > 0 && sorted[i] == sorted[i - 1]) return invalid("An assignment lists broker " + id + " twice");
  }
  return std::nullopt;
}

std::optional<ApiFault> check_not_cordoned(const Cluster& cluster, NodeId broker) {
  if (cluster.broker(broker)->has_uncordoned_dirs()) return std::nullopt;
  return invalid("An assignment lists broker " + std::to_string(broker.value) +
                 ", whose log directories are all cordoned");
}

std::optional<ApiFault> check_assignment(const Cluster& cluster, std::span<const NodeId> replicas,
                                         std::optional<std::size_t> replication_factor) {
  if (auto fault = check_replicas(cluster, replicas)) return fault;
  for (NodeId node : replicas) {
    if (auto fault = check_not_cordoned(cluster, node)) return fault;
  }
  if (replication_factor && *replication_factor != replicas.size()) {
    return invalid("An assignment lists " + std::to_string(replicas.size()) +
                   " broker(s) where the other partitions have " + std::to_string(*replication_factor));
  }
  return std::nullopt;
}

bool add_partition(const Eligibility& eligibility, TopicId topic, PartitionIndex index,
                   std::span<const NodeId> replicas, RecordList& records) {
  std::vector<NodeId> isr;
  std::ranges::copy_if(replicas, std::back_inserter(isr), [&](NodeId node) { return eligibility.is_active(node); });
  if (isr.empty()) return false;
  std::vector<DirectoryId> directories;
  for (NodeId node : replicas) directories.push_back(eligibility.default_dir(node));
  records::PartitionRecord record;
  record.partition_id = index;
  record.topic_id = topic;
  record.replicas = Array<NodeId>(replicas);
  record.isr = Array<NodeId>(std::span<const NodeId>(isr));
  record.leader = isr.front();
  record.leader_epoch = LeaderEpoch{0};
  record.partition_epoch = PartitionEpoch{0};
  if (records.metadata_version().directory_assignment()) {
    record.directories = Array<DirectoryId>(std::span<const DirectoryId>(directories));
  }
  records.add(record);
  return true;
}

}  // namespace hayward::core

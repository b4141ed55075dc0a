#include "engine/core/control/assign_replicas_to_dirs.h"

#include <vector>

#include "engine/core/control/broker_epoch.h"
#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::AssignReplicasToDirsRequest;
using Response = messages::AssignReplicasToDirsResponse;

ErrorCode assign(NodeId broker, DirectoryId directory, const Topic* topic, const Partition* partition,
                 PartitionChanges& changes) {
  if (topic == nullptr) return ErrorCode::unknown_topic_id;
  if (partition == nullptr) return ErrorCode::unknown_topic_or_partition;
  if (!partition->is_replica(broker)) return ErrorCode::not_leader_or_follower;
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(changes.now(*partition), topic->id, eligibility, changes.rules_of(*topic));
  builder.directory(broker, directory);
  changes.add(*partition, builder);
  return ErrorCode::none;
}

}  // namespace

Response assign_replicas_to_dirs(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  const Cluster& cluster = context.image.cluster();
  if (!records.metadata_version().directory_assignment()) {
    response.error_code = ErrorCode::unsupported_version;
    return response;
  }
  if (!is_current_broker(cluster, request.broker_id, request.broker_epoch)) {
    response.error_code = ErrorCode::stale_broker_epoch;
    return response;
  }
  PartitionChanges changes(context, records);
  std::vector<const Partition*> offline;  // where the replica now is, nobody can reach it
  for (const auto& directory : request.directories) {
    auto& directory_answer = response.directories.push_back(context.arena);
    directory_answer.id = directory.id;
    const bool online = has_online_dir(context, *cluster.broker(request.broker_id), directory.id);
    for (const auto& topic_data : directory.topics) {
      auto& topic_answer = directory_answer.topics.push_back(context.arena);
      topic_answer.topic_id = topic_data.topic_id;
      const Topic* topic = changes.topics().find(topic_data.topic_id);
      for (const auto& data : topic_data.partitions) {
        auto& answer = topic_answer.partitions.push_back(context.arena);
        answer.partition_index = data.partition_index;
        const Partition* partition =
            topic == nullptr ? nullptr : changes.topics().partition(*topic, data.partition_index);
        answer.error_code = assign(request.broker_id, directory.id, topic, partition, changes);
        if (answer.error_code == ErrorCode::none && !online) offline.push_back(partition);
      }
    }
  }
  const NodeId leaving[] = {request.broker_id};
  for (const Partition* partition : offline) update_leader_and_isr(*partition, {.leaving = leaving}, changes);
  return response;
}

}  // namespace hayward::core

#include "engine/core/control/list_partition_reassignments.h"

#include <map>
#include <vector>

#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::ListPartitionReassignmentsRequest;
using Response = messages::ListPartitionReassignmentsResponse;
using TopicAnswer = Response::OngoingTopicReassignment;

void add(Arena& arena, const Partition& partition, TopicAnswer& topic) {
  auto& item = topic.partitions.push_back(arena);
  item.partition_index = partition.index;
  item.replicas = Array<NodeId>(partition.replicas());
  item.adding_replicas = Array<NodeId>(partition.adding_replicas());
  item.removing_replicas = Array<NodeId>(partition.removing_replicas());
}

void list_all(const HandlerContext& context, Response& response) {
  const Topics& topics = context.image.topics();
  std::map<TopicOrdinal, std::map<PartitionIndex, const Partition*>> moving;
  for (const Partition& partition : topics.reassigning()) moving[partition.topic][partition.index] = &partition;
  for (const auto& [ordinal, partitions] : moving) {
    TopicAnswer& topic = response.topics.push_back(context.arena);
    topic.name = topics.all().at(ordinal).name;
    for (const auto& [index, partition] : partitions) add(context.arena, *partition, topic);
  }
}

void list_topic(const HandlerContext& context, const Request::ListPartitionReassignmentsTopics& wanted,
                Response& response) {
  const Topics& topics = context.image.topics();
  const Topic* topic = topics.find(wanted.name);
  if (topic == nullptr) return;
  TopicAnswer answer;
  answer.name = topic->name;
  for (PartitionIndex index : wanted.partition_indexes) {
    const Partition* partition = topics.partition(*topic, index);
    if (partition != nullptr && partition->is_reassigning()) add(context.arena, *partition, answer);
  }
  if (!answer.partitions.empty()) response.topics.push_back(context.arena, answer);
}

}  // namespace

Response list_partition_reassignments(const HandlerContext& context, const Request& request) {
  Response response;
  response.error_message = std::nullopt;
  if (request.topics.is_null()) {
    list_all(context, response);
  } else {
    for (const auto& wanted : request.topics) list_topic(context, wanted, response);
  }
  return response;
}

}  // namespace hayward::core

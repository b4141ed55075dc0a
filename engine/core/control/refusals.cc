// See refusals.h.
#include "engine/core/control/refusals.h"

#include "engine/core/control/refusal_parts.h"

namespace hayward::core {
namespace {

using namespace messages;

// Both AlterConfigs.
template <class Response, class Request>
Response on_every_resource(const Request& request, ErrorCode error, Arena& arena) {
  Response response;
  for (const auto& resource : request.resources) {
    auto result = refused_item<typename Response::AlterConfigsResourceResponse>(error);
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    response.responses.push_back(arena, result);
  }
  return response;
}

}  // namespace

std::string_view refusal_text(ErrorCode error) {
  switch (error) {
    case ErrorCode::not_controller:
      return "This node is not the active controller.";
    case ErrorCode::request_timed_out:
      return "The request waited longer than its timeout.";
    case ErrorCode::policy_violation:
      return "The request would write more records than one operation may.";
    case ErrorCode::cluster_authorization_failed:
      return "The caller may not do this on the cluster.";
    default:
      return "The request was refused.";
  }
}

AllocateProducerIdsResponse refusal(const AllocateProducerIdsRequest&, ErrorCode error, Arena&) {
  return at_the_top<AllocateProducerIdsResponse>(error);
}
AlterPartitionResponse refusal(const AlterPartitionRequest&, ErrorCode error, Arena&) {
  return at_the_top<AlterPartitionResponse>(error);
}
AssignReplicasToDirsResponse refusal(const AssignReplicasToDirsRequest&, ErrorCode error, Arena&) {
  return at_the_top<AssignReplicasToDirsResponse>(error);
}
BrokerHeartbeatResponse refusal(const BrokerHeartbeatRequest&, ErrorCode error, Arena&) {
  return at_the_top<BrokerHeartbeatResponse>(error);  // fenced, by default
}
BrokerRegistrationResponse refusal(const BrokerRegistrationRequest&, ErrorCode error, Arena&) {
  return at_the_top<BrokerRegistrationResponse>(error);
}
ControllerRegistrationResponse refusal(const ControllerRegistrationRequest&, ErrorCode error, Arena&) {
  return at_the_top<ControllerRegistrationResponse>(error);
}
UnregisterBrokerResponse refusal(const UnregisterBrokerRequest&, ErrorCode error, Arena&) {
  return at_the_top<UnregisterBrokerResponse>(error);
}
UpdateFeaturesResponse refusal(const UpdateFeaturesRequest&, ErrorCode error, Arena&) {
  return at_the_top<UpdateFeaturesResponse>(error);
}

AddRaftVoterResponse refusal(const AddRaftVoterRequest&, ErrorCode error, Arena&) { return at_the_top<AddRaftVoterResponse>(error); }
ApiVersionsResponse refusal(const ApiVersionsRequest&, ErrorCode error, Arena&) { return at_the_top<ApiVersionsResponse>(error); }
BeginQuorumEpochResponse refusal(const BeginQuorumEpochRequest&, ErrorCode error, Arena&) { return at_the_top<BeginQuorumEpochResponse>(error); }
DescribeClusterResponse refusal(const DescribeClusterRequest&, ErrorCode error, Arena&) { return at_the_top<DescribeClusterResponse>(error); }
DescribeQuorumResponse refusal(const DescribeQuorumRequest&, ErrorCode error, Arena&) { return at_the_top<DescribeQuorumResponse>(error); }
EndQuorumEpochResponse refusal(const EndQuorumEpochRequest&, ErrorCode error, Arena&) { return at_the_top<EndQuorumEpochResponse>(error); }
EnvelopeResponse refusal(const EnvelopeRequest&, ErrorCode error, Arena&) { return at_the_top<EnvelopeResponse>(error); }
HaywardStatusResponse refusal(const HaywardStatusRequest&, ErrorCode error, Arena&) { return at_the_top<HaywardStatusResponse>(error); }
RemoveRaftVoterResponse refusal(const RemoveRaftVoterRequest&, ErrorCode error, Arena&) { return at_the_top<RemoveRaftVoterResponse>(error); }
UpdateRaftVoterResponse refusal(const UpdateRaftVoterRequest&, ErrorCode error, Arena&) { return at_the_top<UpdateRaftVoterResponse>(error); }
VoteResponse refusal(const VoteRequest&, ErrorCode error, Arena&) { return at_the_top<VoteResponse>(error); }

DescribeConfigsResponse refusal(const DescribeConfigsRequest& request, ErrorCode error, Arena& arena) {
  DescribeConfigsResponse response;
  for (const auto& resource : request.resources) {
    auto result = refused_item<DescribeConfigsResponse::DescribeConfigsResult>(error);
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    response.results.push_back(arena, result);
  }
  return response;
}

CreatePartitionsResponse refusal(const CreatePartitionsRequest& request, ErrorCode error, Arena& arena) {
  CreatePartitionsResponse response;
  for (const auto& topic : request.topics) {
    auto result = refused_item<CreatePartitionsResponse::CreatePartitionsTopicResult>(error);
    result.name = topic.name;
    response.results.push_back(arena, result);
  }
  return response;
}

CreateTopicsResponse refusal(const CreateTopicsRequest& request, ErrorCode error, Arena& arena) {
  CreateTopicsResponse response;
  for (const auto& topic : request.topics) {
    auto result = refused_item<CreateTopicsResponse::CreatableTopicResult>(error);
    result.name = topic.name;
    response.topics.push_back(arena, result);
  }
  return response;
}

DeleteTopicsResponse refusal(const DeleteTopicsRequest& request, ErrorCode error, Arena& arena) {
  DeleteTopicsResponse response;
  for (const auto& topic : request.topics) {  // version 6
    auto result = refused_item<DeleteTopicsResponse::DeletableTopicResult>(error);
    result.name = topic.name;
    result.topic_id = topic.topic_id;
    response.responses.push_back(arena, result);
  }
  for (const std::string_view name : request.topic_names) {  // before
    auto result = refused_item<DeleteTopicsResponse::DeletableTopicResult>(error);
    result.name = name;
    response.responses.push_back(arena, result);
  }
  return response;
}

AlterConfigsResponse refusal(const AlterConfigsRequest& request, ErrorCode error, Arena& arena) {
  return on_every_resource<AlterConfigsResponse>(request, error, arena);
}
IncrementalAlterConfigsResponse refusal(const IncrementalAlterConfigsRequest& request, ErrorCode error, Arena& arena) {
  return on_every_resource<IncrementalAlterConfigsResponse>(request, error, arena);
}

// These two say it at the top and on every item.
AlterPartitionReassignmentsResponse refusal(const AlterPartitionReassignmentsRequest& request, ErrorCode error,
                                            Arena& arena) {
  auto response = at_the_top<AlterPartitionReassignmentsResponse>(error);
  for (const auto& topic : request.topics) {
    auto& topic_result = response.responses.push_back(arena);
    topic_result.name = topic.name;
    for (const auto& partition : topic.partitions) {
      auto result = refused_item<AlterPartitionReassignmentsResponse::ReassignablePartitionResponse>(error);
      result.partition_index = partition.partition_index;
      topic_result.partitions.push_back(arena, result);
    }
  }
  return response;
}

ElectLeadersResponse refusal(const ElectLeadersRequest& request, ErrorCode error, Arena& arena) {
  auto response = at_the_top<ElectLeadersResponse>(error);
  for (const auto& topic : request.topic_partitions) {
    auto& topic_result = response.replica_election_results.push_back(arena);
    topic_result.topic = topic.topic;
    for (const PartitionIndex partition : topic.partitions) {
      auto result = refused_item<ElectLeadersResponse::PartitionResult>(error);
      result.partition_id = partition;
      topic_result.partition_result.push_back(arena, result);
    }
  }
  return response;
}

ListPartitionReassignmentsResponse refusal(const ListPartitionReassignmentsRequest&, ErrorCode error, Arena&) {
  return at_the_top<ListPartitionReassignmentsResponse>(error);
}

}  // namespace hayward::core

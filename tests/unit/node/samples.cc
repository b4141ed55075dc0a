// See samples.h.
#include "samples.h"

#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/allocate_producer_ids_request.h"
#include "schemas/messages/alter_client_quotas_request.h"
#include "schemas/messages/alter_configs_request.h"
#include "schemas/messages/alter_partition_reassignments_request.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_user_scram_credentials_request.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/assign_replicas_to_dirs_request.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/create_acls_request.h"
#include "schemas/messages/create_delegation_token_request.h"
#include "schemas/messages/create_partitions_request.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/delete_acls_request.h"
#include "schemas/messages/delete_topics_request.h"
#include "schemas/messages/describe_acls_request.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_configs_request.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/elect_leaders_request.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/expire_delegation_token_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/hayward_status_request.h"
#include "schemas/messages/incremental_alter_configs_request.h"
#include "schemas/messages/list_partition_reassignments_request.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/renew_delegation_token_request.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/update_features_request.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/vote_request.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr NodeId broker{100};
constexpr std::string_view metadata_topic = "__cluster_metadata";

class Samples {
 public:
  Samples(std::int64_t broker_epoch, std::int32_t epoch) : broker_epoch_(broker_epoch), epoch_(epoch) {}

  std::vector<Sample> make() {
    raft();
    brokers();
    topics();
    security();
    add("ApiVersions", api_versions());
    add("HaywardStatus", HaywardStatusRequest{});
    return std::move(samples_);
  }

 private:
  template <class Request>
  void add(const std::string& name, const Request& request) {
    for (std::int16_t version = Request::min_version; version <= Request::max_version; ++version) {
      Sample sample{name, Request::api_key, version, Buffer(encoded_size(request, version))};
      Writer writer(sample.body);
      encode(writer, request, version);
      samples_.push_back(std::move(sample));
    }
  }

  template <class Request, class Partition>
  Request about_metadata(const Partition& partition) {
    Request request;
    typename Request::TopicData topic;
    topic.topic_name = metadata_topic;
    topic.partitions.push_back(arena_, partition);
    request.topics.push_back(arena_, topic);
    return request;
  }

  void raft() {
    VoteRequest::PartitionData vote;
    vote.replica_id = broker;
    vote.replica_epoch = epoch_;
    add("Vote", about_metadata<VoteRequest>(vote));
    BeginQuorumEpochRequest::PartitionData begin;
    begin.leader_id = NodeId{1};
    begin.leader_epoch = epoch_;
    add("BeginQuorumEpoch", about_metadata<BeginQuorumEpochRequest>(begin));
    EndQuorumEpochRequest::PartitionData end;
    end.leader_id = NodeId{1};
    end.leader_epoch = epoch_;
    add("EndQuorumEpoch", about_metadata<EndQuorumEpochRequest>(end));
    add("DescribeQuorum", about_metadata<DescribeQuorumRequest>(DescribeQuorumRequest::PartitionData{}));
    add("Fetch", fetch());
    add("FetchSnapshot", fetch_snapshot());
    AddRaftVoterRequest add_voter;
    add_voter.voter_id = NodeId{2};
    add_voter.listeners.push_back(arena_, {"CONTROLLER", "h", 1});
    add("AddRaftVoter", add_voter);
    add("RemoveRaftVoter", RemoveRaftVoterRequest{});
    UpdateRaftVoterRequest update;
    update.listeners.push_back(arena_, {"CONTROLLER", "h", 1});
    add("UpdateRaftVoter", update);
  }

  FetchRequest fetch() {
    FetchRequest request;
    request.replica_state.replica_id = broker;
    FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    FetchRequest::FetchPartition partition;
    partition.current_leader_epoch = epoch_;
    topic.partitions.push_back(arena_, partition);
    request.topics.push_back(arena_, topic);
    return request;
  }

  FetchSnapshotRequest fetch_snapshot() {
    FetchSnapshotRequest request;
    FetchSnapshotRequest::TopicSnapshot topic;
    topic.name = metadata_topic;
    FetchSnapshotRequest::PartitionSnapshot partition;
    partition.current_leader_epoch = epoch_;
    topic.partitions.push_back(arena_, partition);
    request.topics.push_back(arena_, topic);
    return request;
  }

  void brokers() {
    add("BrokerRegistration", registration());
    BrokerHeartbeatRequest heartbeat;
    heartbeat.broker_id = broker;
    heartbeat.broker_epoch = broker_epoch_;
    add("BrokerHeartbeat", heartbeat);
    UnregisterBrokerRequest unregister;
    unregister.broker_id = NodeId{101};
    add("UnregisterBroker", unregister);
    ControllerRegistrationRequest controller;
    controller.controller_id = NodeId{5};
    controller.listeners.push_back(arena_, {"CONTROLLER", "h", 1, 0});
    controller.features.push_back(arena_, {"metadata.version", 7, 30});
    add("ControllerRegistration", controller);
    add("DescribeCluster", DescribeClusterRequest{});
    AllocateProducerIdsRequest producer_ids;
    producer_ids.broker_id = broker;
    producer_ids.broker_epoch = broker_epoch_;
    add("AllocateProducerIds", producer_ids);
  }

  BrokerRegistrationRequest registration() {
    BrokerRegistrationRequest request;
    request.broker_id = NodeId{102};
    request.cluster_id = test_cluster;
    request.incarnation_id = IncarnationId{Uuid{1, 2}};
    request.listeners.push_back(arena_, {"PLAINTEXT", "h", 9092, 0});
    request.features.push_back(arena_, {"metadata.version", 7, 30});
    request.log_dirs.push_back(arena_, DirectoryId{Uuid{77, 102}});
    request.rack = "r";
    return request;
  }

  void topics() {
    CreateTopicsRequest create;
    CreateTopicsRequest::CreatableTopic topic;
    topic.name = "made";
    topic.num_partitions = 1;
    topic.replication_factor = 1;
    topic.configs.push_back(arena_, {"retention.ms", "5"});
    create.topics.push_back(arena_, topic);
    add("CreateTopics", create);
    DeleteTopicsRequest drop;
    drop.timeout_ms = 1000;
    drop.topics.push_back(arena_, {"absent", TopicId{}});
    drop.topic_names.push_back(arena_, "absent");
    add("DeleteTopics", drop);
    CreatePartitionsRequest partitions;
    partitions.timeout_ms = 1000;
    CreatePartitionsRequest::CreatePartitionsTopic more;
    more.name = "made";
    more.count = 2;
    more.assignments = Array<CreatePartitionsRequest::CreatePartitionsAssignment>::null();
    partitions.topics.push_back(arena_, more);
    add("CreatePartitions", partitions);
    add("AlterPartition", alter_partition());
    add("AssignReplicasToDirs", assign());
    replicas();
    configs();
  }

  void replicas() {
    ElectLeadersRequest elect;
    ElectLeadersRequest::TopicPartitions elected;
    elected.topic = "t";
    elected.partitions.push_back(arena_, PartitionIndex{0});
    elect.topic_partitions.push_back(arena_, elected);
    add("ElectLeaders", elect);
    AlterPartitionReassignmentsRequest reassign;
    AlterPartitionReassignmentsRequest::ReassignableTopic topic;
    topic.name = "t";
    AlterPartitionReassignmentsRequest::ReassignablePartition partition;
    partition.replicas = Array<NodeId>();
    partition.replicas.push_back(arena_, broker);
    topic.partitions.push_back(arena_, partition);
    reassign.topics.push_back(arena_, topic);
    add("AlterPartitionReassignments", reassign);
    ListPartitionReassignmentsRequest list;
    list.topics = Array<ListPartitionReassignmentsRequest::ListPartitionReassignmentsTopics>();
    list.topics.push_back(arena_).name = "t";
    add("ListPartitionReassignments", list);
  }

  void security() {
    add("DescribeAcls", describe_acls());
    CreateAclsRequest create;
    create.creations.push_back(arena_, {2, "made", 3, "User:a", "*", 3, 3});
    add("CreateAcls", create);
    DeleteAclsRequest remove;
    remove.filters.push_back(arena_, {2, "made", 3, std::nullopt, std::nullopt, 1, 1});
    add("DeleteAcls", remove);
    CreateDelegationTokenRequest token;
    token.renewers.push_back(arena_, {"User", "b"});
    add("CreateDelegationToken", token);
    RenewDelegationTokenRequest renew;
    renew.hmac = as_bytes("hmac");
    add("RenewDelegationToken", renew);
    ExpireDelegationTokenRequest expire;
    expire.hmac = as_bytes("hmac");
    add("ExpireDelegationToken", expire);
    AlterClientQuotasRequest quotas;
    AlterClientQuotasRequest::EntryData entry;
    entry.entity.push_back(arena_, {"user", "a"});
    entry.ops.push_back(arena_, {"producer_byte_rate", 1024, false});
    quotas.entries.push_back(arena_, entry);
    add("AlterClientQuotas", quotas);
    AlterUserScramCredentialsRequest credentials;
    credentials.deletions.push_back(arena_, {"a", 1});
    credentials.upsertions.push_back(arena_, {"b", 2, 4096, as_bytes("salt"), as_bytes("password")});
    add("AlterUserScramCredentials", credentials);
  }

  static DescribeAclsRequest describe_acls() {
    DescribeAclsRequest request;
    request.resource_type_filter = request.pattern_type_filter = request.operation = request.permission_type = 1;
    return request;
  }

  void configs() {
    IncrementalAlterConfigsRequest alter;
    IncrementalAlterConfigsRequest::AlterConfigsResource resource;
    resource.resource_type = 4;
    resource.configs.push_back(arena_, {"a", 0, "b"});
    alter.resources.push_back(arena_, resource);
    add("IncrementalAlterConfigs", alter);
    AlterConfigsRequest replace;
    AlterConfigsRequest::AlterConfigsResource replaced;
    replaced.resource_type = 4;
    replaced.configs.push_back(arena_, {"a", "b"});
    replace.resources.push_back(arena_, replaced);
    add("AlterConfigs", replace);
    DescribeConfigsRequest describe;
    DescribeConfigsRequest::DescribeConfigsResource described;
    described.resource_type = 4;
    described.configuration_keys.push_back(arena_, "a");
    describe.resources.push_back(arena_, described);
    add("DescribeConfigs", describe);
    UpdateFeaturesRequest features;
    UpdateFeaturesRequest::FeatureUpdateKey key;
    key.feature = "group.version";
    key.max_version_level = 1;
    key.upgrade_type = 1;
    features.feature_updates.push_back(arena_, key);
    add("UpdateFeatures", features);
  }

  AlterPartitionRequest alter_partition() {
    AlterPartitionRequest request;
    request.broker_id = broker;
    request.broker_epoch = broker_epoch_;
    AlterPartitionRequest::TopicData topic;
    AlterPartitionRequest::PartitionData partition;
    partition.new_isr.push_back(arena_, broker);
    partition.new_isr_with_epochs.push_back(arena_, {broker, BrokerEpoch{-1}});
    topic.partitions.push_back(arena_, partition);
    request.topics.push_back(arena_, topic);
    return request;
  }

  AssignReplicasToDirsRequest assign() {
    AssignReplicasToDirsRequest request;
    request.broker_id = broker;
    request.broker_epoch = broker_epoch_;
    AssignReplicasToDirsRequest::DirectoryData directory;
    AssignReplicasToDirsRequest::TopicData topic;
    topic.partitions.push_back(arena_, {});
    directory.topics.push_back(arena_, topic);
    request.directories.push_back(arena_, directory);
    return request;
  }

  ApiVersionsRequest api_versions() {
    ApiVersionsRequest request;
    request.client_software_name = "test";
    request.client_software_version = "1.0";
    return request;
  }

  BrokerEpoch broker_epoch_;
  Epoch epoch_;
  Arena arena_;
  std::vector<Sample> samples_;
};

}  // namespace

std::vector<Sample> sample_requests(std::int64_t broker_epoch, std::int32_t epoch) {
  return Samples(broker_epoch, epoch).make();
}

BrokerEpoch start_broker(Machine& machine) {
  Arena arena;
  BrokerRegistrationRequest registration;
  registration.broker_id = broker;
  registration.cluster_id = test_cluster;
  registration.incarnation_id = IncarnationId{Uuid{1, 1}};
  registration.listeners.push_back(arena, {"PLAINTEXT", "h", 9092, 0});
  registration.log_dirs.push_back(arena, DirectoryId{Uuid{77, 100}});
  registration.features.push_back(arena, {"metadata.version", 7, 30});
  registration.features.push_back(arena, {"transaction.version", 0, 2});
  for (const char* name :
       {"eligible.leader.replicas.version", "group.version", "kraft.version", "share.version", "streams.version"}) {
    registration.features.push_back(arena, {name, 0, 1});
  }
  const auto registered = machine.asked<BrokerRegistrationResponse>(registration);
  HAYWARD_ASSERT(registered.error_code == ErrorCode::none, "the test's broker is let in");
  BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = broker;
  heartbeat.broker_epoch = registered.broker_epoch;
  heartbeat.current_metadata_offset = Offset{machine.disk.end().value - 1};
  HAYWARD_ASSERT(!machine.asked<BrokerHeartbeatResponse>(heartbeat).is_fenced, "the test's broker is unfenced");
  return registered.broker_epoch;
}

}  // namespace hayward::core

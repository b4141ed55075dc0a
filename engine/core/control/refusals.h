// The answer that says one error about the whole of a request, in the form each API has for it: at the top,
// or on every item where there is no top.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <string_view>

#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/allocate_producer_ids_request.h"
#include "schemas/messages/allocate_producer_ids_response.h"
#include "schemas/messages/alter_client_quotas_request.h"
#include "schemas/messages/alter_client_quotas_response.h"
#include "schemas/messages/alter_configs_request.h"
#include "schemas/messages/alter_configs_response.h"
#include "schemas/messages/alter_partition_reassignments_request.h"
#include "schemas/messages/alter_partition_reassignments_response.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"
#include "schemas/messages/alter_user_scram_credentials_request.h"
#include "schemas/messages/alter_user_scram_credentials_response.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/assign_replicas_to_dirs_request.h"
#include "schemas/messages/assign_replicas_to_dirs_response.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"
#include "schemas/messages/create_acls_request.h"
#include "schemas/messages/create_acls_response.h"
#include "schemas/messages/create_delegation_token_request.h"
#include "schemas/messages/create_delegation_token_response.h"
#include "schemas/messages/create_partitions_request.h"
#include "schemas/messages/create_partitions_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/delete_acls_request.h"
#include "schemas/messages/delete_acls_response.h"
#include "schemas/messages/delete_topics_request.h"
#include "schemas/messages/delete_topics_response.h"
#include "schemas/messages/describe_acls_request.h"
#include "schemas/messages/describe_acls_response.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"
#include "schemas/messages/describe_configs_request.h"
#include "schemas/messages/describe_configs_response.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/elect_leaders_request.h"
#include "schemas/messages/elect_leaders_response.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/envelope_request.h"
#include "schemas/messages/envelope_response.h"
#include "schemas/messages/expire_delegation_token_request.h"
#include "schemas/messages/expire_delegation_token_response.h"
#include "schemas/messages/hayward_status_request.h"
#include "schemas/messages/hayward_status_response.h"
#include "schemas/messages/incremental_alter_configs_request.h"
#include "schemas/messages/incremental_alter_configs_response.h"
#include "schemas/messages/list_partition_reassignments_request.h"
#include "schemas/messages/list_partition_reassignments_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"
#include "schemas/messages/renew_delegation_token_request.h"
#include "schemas/messages/renew_delegation_token_response.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"
#include "schemas/messages/update_features_request.h"
#include "schemas/messages/update_features_response.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// One sentence for an error that comes without one of its own.
std::string_view refusal_text(ErrorCode error);

messages::AddRaftVoterResponse refusal(const messages::AddRaftVoterRequest&, ErrorCode, Arena&);
messages::AllocateProducerIdsResponse refusal(const messages::AllocateProducerIdsRequest&, ErrorCode, Arena&);
messages::AlterClientQuotasResponse refusal(const messages::AlterClientQuotasRequest&, ErrorCode, Arena&);
messages::AlterConfigsResponse refusal(const messages::AlterConfigsRequest&, ErrorCode, Arena&);
messages::AlterPartitionResponse refusal(const messages::AlterPartitionRequest&, ErrorCode, Arena&);
messages::AlterPartitionReassignmentsResponse refusal(const messages::AlterPartitionReassignmentsRequest&, ErrorCode, Arena&);
messages::AlterUserScramCredentialsResponse refusal(const messages::AlterUserScramCredentialsRequest&, ErrorCode, Arena&);
messages::ApiVersionsResponse refusal(const messages::ApiVersionsRequest&, ErrorCode, Arena&);
messages::AssignReplicasToDirsResponse refusal(const messages::AssignReplicasToDirsRequest&, ErrorCode, Arena&);
messages::BeginQuorumEpochResponse refusal(const messages::BeginQuorumEpochRequest&, ErrorCode, Arena&);
messages::BrokerHeartbeatResponse refusal(const messages::BrokerHeartbeatRequest&, ErrorCode, Arena&);
messages::BrokerRegistrationResponse refusal(const messages::BrokerRegistrationRequest&, ErrorCode, Arena&);
messages::ControllerRegistrationResponse refusal(const messages::ControllerRegistrationRequest&, ErrorCode, Arena&);
messages::CreateAclsResponse refusal(const messages::CreateAclsRequest&, ErrorCode, Arena&);
messages::CreateDelegationTokenResponse refusal(const messages::CreateDelegationTokenRequest&, ErrorCode, Arena&);
messages::CreatePartitionsResponse refusal(const messages::CreatePartitionsRequest&, ErrorCode, Arena&);
messages::CreateTopicsResponse refusal(const messages::CreateTopicsRequest&, ErrorCode, Arena&);
messages::DeleteAclsResponse refusal(const messages::DeleteAclsRequest&, ErrorCode, Arena&);
messages::DeleteTopicsResponse refusal(const messages::DeleteTopicsRequest&, ErrorCode, Arena&);
messages::DescribeAclsResponse refusal(const messages::DescribeAclsRequest&, ErrorCode, Arena&);
messages::DescribeClusterResponse refusal(const messages::DescribeClusterRequest&, ErrorCode, Arena&);
messages::DescribeConfigsResponse refusal(const messages::DescribeConfigsRequest&, ErrorCode, Arena&);
messages::DescribeQuorumResponse refusal(const messages::DescribeQuorumRequest&, ErrorCode, Arena&);
messages::ElectLeadersResponse refusal(const messages::ElectLeadersRequest&, ErrorCode, Arena&);
messages::EndQuorumEpochResponse refusal(const messages::EndQuorumEpochRequest&, ErrorCode, Arena&);
messages::EnvelopeResponse refusal(const messages::EnvelopeRequest&, ErrorCode, Arena&);
messages::ExpireDelegationTokenResponse refusal(const messages::ExpireDelegationTokenRequest&, ErrorCode, Arena&);
messages::HaywardStatusResponse refusal(const messages::HaywardStatusRequest&, ErrorCode, Arena&);
messages::IncrementalAlterConfigsResponse refusal(const messages::IncrementalAlterConfigsRequest&, ErrorCode, Arena&);
messages::ListPartitionReassignmentsResponse refusal(const messages::ListPartitionReassignmentsRequest&, ErrorCode, Arena&);
messages::RemoveRaftVoterResponse refusal(const messages::RemoveRaftVoterRequest&, ErrorCode, Arena&);
messages::RenewDelegationTokenResponse refusal(const messages::RenewDelegationTokenRequest&, ErrorCode, Arena&);
messages::UnregisterBrokerResponse refusal(const messages::UnregisterBrokerRequest&, ErrorCode, Arena&);
messages::UpdateFeaturesResponse refusal(const messages::UpdateFeaturesRequest&, ErrorCode, Arena&);
messages::UpdateRaftVoterResponse refusal(const messages::UpdateRaftVoterRequest&, ErrorCode, Arena&);
messages::VoteResponse refusal(const messages::VoteRequest&, ErrorCode, Arena&);

}  // namespace hayward::core

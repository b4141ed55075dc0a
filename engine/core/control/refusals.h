// The answer that says one error about the whole of a request, in the form each API has for it: at the top,
// or on every item where there is no top.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <string_view>

#include "schemas/messages/allocate_producer_ids_request.h"
#include "schemas/messages/allocate_producer_ids_response.h"
#include "schemas/messages/alter_configs_request.h"
#include "schemas/messages/alter_configs_response.h"
#include "schemas/messages/alter_partition_reassignments_request.h"
#include "schemas/messages/alter_partition_reassignments_response.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"
#include "schemas/messages/assign_replicas_to_dirs_request.h"
#include "schemas/messages/assign_replicas_to_dirs_response.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"
#include "schemas/messages/create_partitions_request.h"
#include "schemas/messages/create_partitions_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/delete_topics_request.h"
#include "schemas/messages/delete_topics_response.h"
#include "schemas/messages/elect_leaders_request.h"
#include "schemas/messages/elect_leaders_response.h"
#include "schemas/messages/incremental_alter_configs_request.h"
#include "schemas/messages/incremental_alter_configs_response.h"
#include "schemas/messages/list_partition_reassignments_request.h"
#include "schemas/messages/list_partition_reassignments_response.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"
#include "schemas/messages/update_features_request.h"
#include "schemas/messages/update_features_response.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// One sentence for an error that comes without one of its own.
std::string_view refusal_text(ErrorCode error);

messages::AllocateProducerIdsResponse refusal(const messages::AllocateProducerIdsRequest&, ErrorCode, Arena&);
messages::AlterConfigsResponse refusal(const messages::AlterConfigsRequest&, ErrorCode, Arena&);
messages::AlterPartitionReassignmentsResponse refusal(const messages::AlterPartitionReassignmentsRequest&, ErrorCode,
                                                      Arena&);
messages::AlterPartitionResponse refusal(const messages::AlterPartitionRequest&, ErrorCode, Arena&);
messages::AssignReplicasToDirsResponse refusal(const messages::AssignReplicasToDirsRequest&, ErrorCode, Arena&);
messages::BrokerHeartbeatResponse refusal(const messages::BrokerHeartbeatRequest&, ErrorCode, Arena&);
messages::BrokerRegistrationResponse refusal(const messages::BrokerRegistrationRequest&, ErrorCode, Arena&);
messages::ControllerRegistrationResponse refusal(const messages::ControllerRegistrationRequest&, ErrorCode, Arena&);
messages::CreatePartitionsResponse refusal(const messages::CreatePartitionsRequest&, ErrorCode, Arena&);
messages::CreateTopicsResponse refusal(const messages::CreateTopicsRequest&, ErrorCode, Arena&);
messages::DeleteTopicsResponse refusal(const messages::DeleteTopicsRequest&, ErrorCode, Arena&);
messages::ElectLeadersResponse refusal(const messages::ElectLeadersRequest&, ErrorCode, Arena&);
messages::IncrementalAlterConfigsResponse refusal(const messages::IncrementalAlterConfigsRequest&, ErrorCode, Arena&);
messages::ListPartitionReassignmentsResponse refusal(const messages::ListPartitionReassignmentsRequest&, ErrorCode,
                                                     Arena&);
messages::UnregisterBrokerResponse refusal(const messages::UnregisterBrokerRequest&, ErrorCode, Arena&);
messages::UpdateFeaturesResponse refusal(const messages::UpdateFeaturesRequest&, ErrorCode, Arena&);

}  // namespace hayward::core

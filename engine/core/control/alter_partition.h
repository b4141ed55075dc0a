// AlterPartition (56): a partition's leader asks for another ISR, or reports that it has recovered.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"

namespace hayward::core {

// Top-level error: stale_broker_epoch. Item errors: unknown_topic_id, unknown_topic_or_partition, not_controller
// (epochs ahead of ours), fenced_leader_epoch, invalid_request, invalid_update_version, ineligible_replica;
// new_leader_elected goes with a record (the change ended a reassignment and moved the leader). An unknown
// LeaderRecoveryState is invalid_request (Kafka 4.3.1 fails over).
messages::AlterPartitionResponse alter_partition(const HandlerContext& context,
                                                 const messages::AlterPartitionRequest& request, RecordList& records);

}  // namespace hayward::core

// AlterPartitionReassignments (45): starts, changes or cancels moves of replicas.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/alter_partition_reassignments_request.h"
#include "schemas/messages/alter_partition_reassignments_response.h"

namespace hayward::core {

// Each partition by itself. Item errors: unknown_topic_or_partition, no_reassignment_in_progress (nothing to
// cancel), invalid_replica_assignment (a target that no partition may have; a new replica on a broker whose
// directories are all cordoned; a cancellation that would need an unclean election where they are disabled),
// invalid_replication_factor (it changes and allow_replication_factor_change is false), policy_violation (from the
// 10,001st record on).
messages::AlterPartitionReassignmentsResponse alter_partition_reassignments(
    const HandlerContext& context, const messages::AlterPartitionReassignmentsRequest& request, RecordList& records);

}  // namespace hayward::core

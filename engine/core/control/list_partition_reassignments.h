// ListPartitionReassignments (46): which replicas are on the move.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/list_partition_reassignments_request.h"
#include "schemas/messages/list_partition_reassignments_response.h"

namespace hayward::core {

// Without a list of topics it is about all of them, at the cost of those that are being reassigned. What is
// unknown or at rest is left out.
messages::ListPartitionReassignmentsResponse list_partition_reassignments(
    const HandlerContext& context, const messages::ListPartitionReassignmentsRequest& request);

}  // namespace hayward::core

// CreatePartitions (37): more partitions for topics that exist, in one atomic batch.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/create_partitions_request.h"
#include "schemas/messages/create_partitions_response.h"

namespace hayward::core {

// Item errors: invalid_request (topic twice), unknown_topic_or_partition (text null), invalid_partitions (not more
// than there are), invalid_replica_assignment, invalid_replication_factor, throttling_quota_exceeded. More than 10,000 new
// partitions in all: policy_violation for every item, nothing written (Kafka 4.3.1 answers -1 there and writes a part of them).
messages::CreatePartitionsResponse create_partitions(const HandlerContext& context,
                                                     const messages::CreatePartitionsRequest& request,
                                                     RecordList& records);

}  // namespace hayward::core

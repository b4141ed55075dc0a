// CreateTopics (19): topics with their configs and partitions, in one atomic batch.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"

namespace hayward::core {

// Records of a topic: Topic, its Configs, its Partitions. Topics that fail leave none; one topic's failure does not
// touch the others. Item errors: invalid_request (named twice, the metadata log's own name, counts beside an
// assignment), invalid_topic_exception (illegal or colliding name), topic_already_exists, invalid_config,
// invalid_replica_assignment, invalid_replication_factor, invalid_partitions, throttling_quota_exceeded. More than 10,000 partitions or
// records in all: policy_violation for every item, nothing written. `request.validate_only` writes nothing.
messages::CreateTopicsResponse create_topics(const HandlerContext& context,
                                             const messages::CreateTopicsRequest& request, RecordList& records);

}  // namespace hayward::core

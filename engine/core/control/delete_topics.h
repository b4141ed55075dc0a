// DeleteTopics (20): topics by name or id; their partitions and configs go with them.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/delete_topics_request.h"
#include "schemas/messages/delete_topics_response.h"

namespace hayward::core {

// Item errors: invalid_request (name and id both or neither given, or a topic given twice: it stays),
// unknown_topic_id, unknown_topic_or_partition, topic_authorization_failed, throttling_quota_exceeded; every item topic_deletion_disabled
// (invalid_request below version 3) when delete.topic.enable is false. Who may not describe a topic learns neither
// that it exists nor its name. Items come in the request's order, which tells nothing either; Kafka groups them by
// outcome and must shuffle.
messages::DeleteTopicsResponse delete_topics(const HandlerContext& context, const messages::DeleteTopicsRequest& request,
                                             RecordList& records);

}  // namespace hayward::core

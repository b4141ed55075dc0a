// IncrementalAlterConfigs (44): sets, deletes, appends to and subtracts from dynamic configs.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/incremental_alter_configs_request.h"
#include "schemas/messages/incremental_alter_configs_response.h"

namespace hayward::core {

// A resource is changed whole or not at all; one's failure does not touch the others. Item errors:
// unsupported_version (unknown resource type), invalid_request (resource twice, bad name, unknown operation, null to
// append or subtract), invalid_topic_exception, invalid_config, unknown_topic_or_partition, broker_id_not_registered.
// More than 10,000 records: policy_violation for every item. This node has no loggers by name: a change of one
// (BROKER_LOGGER) ends, after Kafka's other checks, as invalid_config.
messages::IncrementalAlterConfigsResponse incremental_alter_configs(
    const HandlerContext& context, const messages::IncrementalAlterConfigsRequest& request, RecordList& records);

}  // namespace hayward::core

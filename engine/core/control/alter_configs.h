// AlterConfigs (33): a resource's dynamic configs replaced as a whole; what the request does not list is removed.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/alter_configs_request.h"
#include "schemas/messages/alter_configs_response.h"

namespace hayward::core {

// A resource is replaced whole or not at all; one's failure does not touch the others. Item errors:
// unsupported_version (unknown resource type), invalid_request (resource twice, bad name, loggers),
// invalid_topic_exception, invalid_config, unknown_topic_or_partition, broker_id_not_registered. More than 10,000
// records: policy_violation for every item.
messages::AlterConfigsResponse replace_configs(const HandlerContext& context,
                                               const messages::AlterConfigsRequest& request, RecordList& records);

}  // namespace hayward::core

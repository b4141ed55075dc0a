// DescribeConfigs (32): effective configs with their sources and synonyms, out of this node's own view.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/describe_configs_request.h"
#include "schemas/messages/describe_configs_response.h"

namespace hayward::core {

// Item errors: unknown_topic_or_partition (text empty), invalid_topic_exception, invalid_request (a broker other than
// this node, an empty name, an unknown type). Values of passwords and of keys without a known type are null. No
// documentation is sent. `context.image` should be the committed one: any controller answers this.
messages::DescribeConfigsResponse describe_configs(const HandlerContext& context,
                                                   const messages::DescribeConfigsRequest& request);

}  // namespace hayward::core

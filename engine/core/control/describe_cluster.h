// DescribeCluster (60) as a controller answers it: the registered controllers.
// Owner: engine/core/control. Shard 0; served by standbys too.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"

namespace hayward::core {

// `leader`: raft's leader as this node knows it; -1: none. Only controllers with a listener of the name that the
// request came in on are listed. Errors: unsupported_version (metadata.version below 3.7-IV0),
// unsupported_endpoint_type, mismatched_endpoint_type (both invalid_request in version 0).
messages::DescribeClusterResponse describe_cluster(const HandlerContext& context,
                                                   const messages::DescribeClusterRequest& request, NodeId leader);

}  // namespace hayward::core

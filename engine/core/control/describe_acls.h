// DescribeAcls (29): the ACLs that this node's authorizer goes by, which are the committed ones.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/describe_acls_request.h"
#include "schemas/messages/describe_acls_response.h"

namespace hayward::core {

// False: it holds a code of 0, which is to be taken as a body that cannot be read.
bool is_readable(const messages::DescribeAclsRequest& request);

// By resource, ascending. An unknown code matches nothing. Errors: security_disabled (no authorizer).
messages::DescribeAclsResponse describe_acls(const HandlerContext& context,
                                             const messages::DescribeAclsRequest& request);

}  // namespace hayward::core

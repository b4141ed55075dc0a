// CreateAcls (30).
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/records.h"
#include "schemas/messages/create_acls_request.h"
#include "schemas/messages/create_acls_response.h"

namespace hayward::core {

// False: it holds a code of 0, which is to be taken as a body that cannot be read.
bool is_readable(const messages::CreateAclsRequest& request);

// One result an ACL, in the request's order. What is there already, or twice in the request, succeeds without a
// record. invalid_request: an unknown code, an empty name, a cluster of another name, a principal without ':'.
// unknown_server_error for all, and nothing written: ANY or MATCH, which are for filters. policy_violation for all
// that would have been made: more than 10,000 of them.
messages::CreateAclsResponse create_acls(const HandlerContext& context, const messages::CreateAclsRequest& request,
                                         RecordList& records);

}  // namespace hayward::core

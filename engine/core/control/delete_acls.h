// DeleteAcls (31): by filters.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/records.h"
#include "schemas/messages/delete_acls_request.h"
#include "schemas/messages/delete_acls_response.h"

namespace hayward::core {

// False: it holds a code of 0, which is to be taken as a body that cannot be read.
bool is_readable(const messages::DeleteAclsRequest& request);

// One result a filter, in the request's order, with the ACLs it matched; one that several filters match is removed
// once. invalid_request: an unknown code; for all, and nothing removed: a match beyond 10,000 in the whole request.
messages::DeleteAclsResponse delete_acls(const HandlerContext& context, const messages::DeleteAclsRequest& request,
                                         RecordList& records);

}  // namespace hayward::core

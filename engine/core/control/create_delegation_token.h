// CreateDelegationToken (38).
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/control/delegation_tokens.h"
#include "engine/core/records.h"
#include "schemas/messages/create_delegation_token_request.h"
#include "schemas/messages/create_delegation_token_response.h"

namespace hayward::core {

// Before it is asked whether this node is active: delegation_token_request_not_allowed (may_use_tokens),
// delegation_token_authorization_failed (another's token without CREATE_TOKENS on that user), or none.
ErrorCode check_token_request(const HandlerContext& context, const messages::CreateDelegationTokenRequest& request);

// The answer to what check_token_request has refused, or to a node that is not active.
messages::CreateDelegationTokenResponse refuse_token(const HandlerContext& context,
                                                     const messages::CreateDelegationTokenRequest& request,
                                                     ErrorCode error);

// Errors: check_tokens_enabled's; invalid_principal_type (a renewer that is no User); unknown_server_error (an owner
// without a type).
messages::CreateDelegationTokenResponse create_delegation_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                                const messages::CreateDelegationTokenRequest& request,
                                                                RecordList& records);

}  // namespace hayward::core

// RenewDelegationToken (39) and ExpireDelegationToken (40): a token, named by its HMAC, lives longer or shorter.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/control/delegation_tokens.h"
#include "engine/core/records.h"
#include "schemas/messages/expire_delegation_token_request.h"
#include "schemas/messages/expire_delegation_token_response.h"
#include "schemas/messages/renew_delegation_token_request.h"
#include "schemas/messages/renew_delegation_token_response.h"

namespace hayward::core {

// Errors: check_tokens_enabled's, delegation_token_not_found, delegation_token_expired,
// delegation_token_owner_mismatch (neither owner nor renewer). A period of 0 or less is the default one; no token
// outlives its maximum.
messages::RenewDelegationTokenResponse renew_delegation_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                              const messages::RenewDelegationTokenRequest& request,
                                                              RecordList& records);

// The same errors. A negative period removes the token at once, even when it has expired.
messages::ExpireDelegationTokenResponse expire_delegation_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                                const messages::ExpireDelegationTokenRequest& request,
                                                                RecordList& records);

}  // namespace hayward::core

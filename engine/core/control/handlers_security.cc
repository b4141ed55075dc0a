// See handlers.h: quotas, SCRAM credentials, ACLs and delegation tokens.
// Owner: engine/core/control. Shard 0.
#include "engine/core/authorizer/authorizer.h"
#include "engine/core/control/alter_client_quotas.h"
#include "engine/core/control/alter_delegation_token.h"
#include "engine/core/control/alter_user_scram_credentials.h"
#include "engine/core/control/create_acls.h"
#include "engine/core/control/create_delegation_token.h"
#include "engine/core/control/delete_acls.h"
#include "engine/core/control/describe_acls.h"
#include "engine/core/control/handlers.h"

namespace hayward::core {
namespace {

using namespace messages;

Outcome unreadable() {
  Outcome outcome;
  outcome.malformed = true;
  return outcome;
}

// Whether there is an authorizer is asked before whether this node is the active controller.
template <class Request, class Handler>
Outcome acl_operation(HandlerCall& call, Handler&& handler) {
  return decoded<Request>(call, [&](const Request& request) {
    if (!is_readable(request)) return unreadable();
    if (!call.node.authorizer.enabled()) return refuse_call(call, request, ErrorCode::security_disabled);
    if (!call.active()) return refuse_call(call, request, ErrorCode::not_controller);
    return conclude(call, request, handler(call.handler(), request, call.records));
  });
}

// Renew and Expire: who may not have tokens is told so by any node.
template <class Request, class Handler>
Outcome token_operation(HandlerCall& call, Handler&& handler) {
  return decoded<Request>(call, [&](const Request& request) {
    if (!may_use_tokens(call.context)) {
      auto refused = refusal(request, ErrorCode::delegation_token_request_not_allowed, call.node.arena);
      refused.expiry_timestamp_ms = -1;
      return encode_outcome(call, refused, Outcome::Wait::nothing);
    }
    if (!call.active()) return refuse_call(call, request, ErrorCode::not_controller);
    return conclude(call, request, handler(call.handler(), call.node.token_hmacs, request, call.records));
  });
}

}  // namespace

Outcome handle_alter_client_quotas(HandlerCall& call) {
  return user_operation<AlterClientQuotasRequest>(call, alter_client_quotas);
}
Outcome handle_alter_user_scram_credentials(HandlerCall& call) {
  return user_operation<AlterUserScramCredentialsRequest>(call, alter_user_scram_credentials);
}

Outcome handle_create_acls(HandlerCall& call) { return acl_operation<CreateAclsRequest>(call, create_acls); }
Outcome handle_delete_acls(HandlerCall& call) { return acl_operation<DeleteAclsRequest>(call, delete_acls); }
Outcome handle_describe_acls(HandlerCall& call) {
  return decoded<DescribeAclsRequest>(call, [&](const DescribeAclsRequest& request) {
    if (!is_readable(request)) return unreadable();
    return encode_outcome(call, describe_acls(call.handler(), request), Outcome::Wait::nothing);
  });
}

Outcome handle_create_delegation_token(HandlerCall& call) {
  return decoded<CreateDelegationTokenRequest>(call, [&](const CreateDelegationTokenRequest& request) {
    const HandlerContext context = call.handler();
    ErrorCode error = check_token_request(context, request);
    if (error == ErrorCode::none && !call.active()) error = ErrorCode::not_controller;
    if (error != ErrorCode::none) {
      Outcome outcome = encode_outcome(call, refuse_token(context, request, error), Outcome::Wait::nothing);
      outcome.not_controller = error == ErrorCode::not_controller;
      return outcome;
    }
    return conclude(call, request, create_delegation_token(context, call.node.token_hmacs, request, call.records));
  });
}
Outcome handle_renew_delegation_token(HandlerCall& call) {
  return token_operation<RenewDelegationTokenRequest>(call, renew_delegation_token);
}
Outcome handle_expire_delegation_token(HandlerCall& call) {
  return token_operation<ExpireDelegationTokenRequest>(call, expire_delegation_token);
}

}  // namespace hayward::core

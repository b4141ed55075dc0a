// See create_delegation_token.h.
#include "engine/core/control/create_delegation_token.h"

#include <algorithm>

#include "engine/core/control/access.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::CreateDelegationTokenRequest;
using Response = messages::CreateDelegationTokenResponse;

constexpr std::string_view user_type = "User";

bool names_an_owner(const Request& request) {
  return request.owner_principal_name && !request.owner_principal_name->empty();
}

// Who asks, unless another is named.
Principal owner_of(const HandlerContext& context, const Request& request) {
  if (!names_an_owner(request)) return context.request.principal;
  return {std::string(request.owner_principal_type.value_or("")), std::string(*request.owner_principal_name)};
}

Response answer_about(const HandlerContext& context, const Request& request) {
  const Principal owner = owner_of(context, request);
  const Principal& requester = context.request.principal;
  Response response;
  response.principal_type = context.arena.copy(owner.type);
  response.principal_name = context.arena.copy(owner.name);
  response.token_requester_principal_type = context.arena.copy(requester.type);
  response.token_requester_principal_name = context.arena.copy(requester.name);
  return response;
}

// An unused one, so that a poor seed replaces nobody's token.
std::string new_token_id(const HandlerContext& context) {
  std::string id = context.prng.uuid().to_string();
  while (context.image.delegation_tokens().find(id) != nullptr) id = context.prng.uuid().to_string();
  return id;
}

ErrorCode check(const HandlerContext& context, const Request& request) {
  if (names_an_owner(request) && !request.owner_principal_type) return ErrorCode::unknown_server_error;
  if (const ErrorCode error = check_tokens_enabled(context); error != ErrorCode::none) return error;
  const bool all_users =
      std::ranges::all_of(request.renewers, [](const auto& renewer) { return renewer.principal_type == user_type; });
  return all_users ? ErrorCode::none : ErrorCode::invalid_principal_type;
}

}  // namespace

ErrorCode check_token_request(const HandlerContext& context, const Request& request) {
  if (!may_use_tokens(context.request)) return ErrorCode::delegation_token_request_not_allowed;
  const Principal owner = owner_of(context, request);
  const Principal& requester = context.request.principal;
  const bool for_itself = owner.type == requester.type && owner.name == requester.name;
  if (for_itself || is_allowed(context, AclOperation::create_tokens, ResourceType::user, to_text(owner))) {
    return ErrorCode::none;
  }
  return ErrorCode::delegation_token_authorization_failed;
}

Response refuse_token(const HandlerContext& context, const Request& request, ErrorCode error) {
  Response response = answer_about(context, request);
  response.error_code = error;
  response.issue_timestamp_ms = response.expiry_timestamp_ms = response.max_timestamp_ms = -1;
  return response;
}

Response create_delegation_token(const HandlerContext& context, TokenHmacs& hmacs, const Request& request,
                                 RecordList& records) {
  Response response = answer_about(context, request);
  response.error_code = check(context, request);
  if (response.error_code != ErrorCode::none) return response;

  const NodeConfig& config = context.config;
  const std::int64_t now_ms = context.request.now.wall_ms;
  const std::int64_t lifetime_ms = request.max_lifetime_ms > 0
                                       ? std::min(config.delegation_token_max_lifetime_ms, request.max_lifetime_ms)
                                       : config.delegation_token_max_lifetime_ms;
  DelegationToken token;
  token.token_id = new_token_id(context);
  token.owner = to_text(owner_of(context, request));
  token.requester = to_text(context.request.principal);
  for (const auto& renewer : request.renewers) {
    token.renewers.push_back(std::string(user_type) + ":" + std::string(renewer.principal_name));
  }
  token.issue_timestamp_ms = now_ms;
  token.max_timestamp_ms = time_after(now_ms, lifetime_ms);
  token.expiration_timestamp_ms =
      std::min(token.max_timestamp_ms, time_after(now_ms, config.delegation_token_expiry_time_ms));
  add_token_record(context, token, records);
  records.set_atomic();

  response.issue_timestamp_ms = token.issue_timestamp_ms;
  response.expiry_timestamp_ms = token.expiration_timestamp_ms;
  response.max_timestamp_ms = token.max_timestamp_ms;
  response.token_id = context.arena.copy(token.token_id);
  response.hmac = hmacs.of(token.token_id, *config.delegation_token_secret_key);
  return response;
}

}  // namespace hayward::core

// See alter_delegation_token.h.
#include "engine/core/control/alter_delegation_token.h"

#include <algorithm>
#include <expected>

#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using messages::ExpireDelegationTokenRequest;
using messages::ExpireDelegationTokenResponse;
using messages::RenewDelegationTokenRequest;
using messages::RenewDelegationTokenResponse;

std::expected<const DelegationToken*, ErrorCode> find_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                            Bytes hmac) {
  if (const ErrorCode error = check_tokens_enabled(context); error != ErrorCode::none) return std::unexpected(error);
  const DelegationToken* token =
      hmacs.find(hmac, context.image.delegation_tokens(), *context.config.delegation_token_secret_key);
  if (token == nullptr) return std::unexpected(ErrorCode::delegation_token_not_found);
  return token;
}

std::int64_t set_expiry(const HandlerContext& context, const DelegationToken& token, std::int64_t period_ms,
                        RecordList& records) {
  DelegationToken changed = token;
  changed.expiration_timestamp_ms =
      std::min(token.max_timestamp_ms, time_after(context.request.now.wall_ms, period_ms));
  add_token_record(context, changed, records);
  records.set_atomic();
  return changed.expiration_timestamp_ms;
}

}  // namespace

RenewDelegationTokenResponse renew_delegation_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                    const RenewDelegationTokenRequest& request, RecordList& records) {
  RenewDelegationTokenResponse response;
  const auto token = find_token(context, hmacs, request.hmac);
  if (!token) {
    response.error_code = token.error();
  } else if (is_expired(**token, context.request.now.wall_ms)) {
    response.error_code = ErrorCode::delegation_token_expired;
  } else if (!may_renew(**token, context.request.principal)) {
    response.error_code = ErrorCode::delegation_token_owner_mismatch;
  } else {
    const std::int64_t longest_ms = context.config.delegation_token_expiry_time_ms;
    const std::int64_t period_ms =
        request.renew_period_ms > 0 ? std::min(longest_ms, request.renew_period_ms) : longest_ms;
    response.expiry_timestamp_ms = set_expiry(context, **token, period_ms, records);
  }
  return response;
}

ExpireDelegationTokenResponse expire_delegation_token(const HandlerContext& context, TokenHmacs& hmacs,
                                                      const ExpireDelegationTokenRequest& request,
                                                      RecordList& records) {
  ExpireDelegationTokenResponse response;
  const auto token = find_token(context, hmacs, request.hmac);
  if (!token) {
    response.error_code = token.error();
  } else if (!may_renew(**token, context.request.principal)) {
    response.error_code = ErrorCode::delegation_token_owner_mismatch;
  } else if (request.expiry_time_period_ms < 0) {
    response.expiry_timestamp_ms = context.request.now.wall_ms;
    add_token_removal((*token)->token_id, records);
  } else if (is_expired(**token, context.request.now.wall_ms)) {
    response.error_code = ErrorCode::delegation_token_expired;
  } else {
    response.expiry_timestamp_ms = set_expiry(context, **token, request.expiry_time_period_ms, records);
  }
  return response;
}

}  // namespace hayward::core

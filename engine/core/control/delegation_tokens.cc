// See delegation_tokens.h.
#include "engine/core/control/delegation_tokens.h"

#include <algorithm>
#include <limits>

#include "engine/base/hmac.h"
#include "engine/core/image/image.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/remove_delegation_token_record.h"

namespace hayward::core {

const Buffer& TokenHmacs::of(const std::string& token_id, std::string_view secret_key) {
  const auto [at, is_new] = by_id_.try_emplace(token_id);
  if (is_new) {
    at->second = hmac_of(Hash::sha512, as_bytes(secret_key), as_bytes(token_id));
    by_hmac_.emplace(at->second, token_id);
  }
  return at->second;
}

void TokenHmacs::forget_removed(const DelegationTokens& tokens) {
  for (auto at = by_id_.begin(); at != by_id_.end();) {
    if (tokens.find(at->first) != nullptr) {
      ++at;
    } else {
      by_hmac_.erase(at->second);
      at = by_id_.erase(at);
    }
  }
}

const DelegationToken* TokenHmacs::find(Bytes hmac, const DelegationTokens& tokens, std::string_view secret_key) {
  const Buffer key(hmac.begin(), hmac.end());
  auto known = by_hmac_.find(key);
  if (known == by_hmac_.end()) {
    if (by_id_.size() != tokens.all().size()) {
      forget_removed(tokens);
      for (const auto& [id, token] : tokens.all()) of(id, secret_key);
    }
    known = by_hmac_.find(key);
  }
  return known == by_hmac_.end() ? nullptr : tokens.find(known->second);
}

std::string to_text(const Principal& principal) { return principal.type + ":" + principal.name; }

bool may_use_tokens(const RequestContext& request) {
  return request.forwarded && !request.principal.token_authenticated;
}

ErrorCode check_tokens_enabled(const HandlerContext& context) {
  if (!context.config.delegation_token_secret_key) return ErrorCode::delegation_token_auth_disabled;
  const auto version = context.image.features().metadata_version();
  return version && version->delegation_tokens() ? ErrorCode::none : ErrorCode::unsupported_version;
}

bool may_renew(const DelegationToken& token, const Principal& principal) {
  const std::string who = to_text(principal);
  return token.owner == who || std::ranges::find(token.renewers, who) != token.renewers.end();
}

bool is_expired(const DelegationToken& token, std::int64_t now_ms) {
  return token.max_timestamp_ms < now_ms || token.expiration_timestamp_ms < now_ms;
}

std::int64_t time_after(std::int64_t now_ms, std::int64_t duration_ms) {
  constexpr std::int64_t end_of_time_ms = std::numeric_limits<std::int64_t>::max();
  return now_ms > end_of_time_ms - duration_ms ? end_of_time_ms : now_ms + duration_ms;
}

void add_token_record(const HandlerContext& context, const DelegationToken& token, RecordList& records) {
  records::DelegationTokenRecord record;
  record.owner = token.owner;
  record.requester = token.requester;
  for (const std::string& renewer : token.renewers) record.renewers.push_back(context.arena, renewer);
  record.issue_timestamp = token.issue_timestamp_ms;
  record.max_timestamp = token.max_timestamp_ms;
  record.expiration_timestamp = token.expiration_timestamp_ms;
  record.token_id = token.token_id;
  records.add(record);
}

void add_token_removal(std::string_view token_id, RecordList& records) {
  records::RemoveDelegationTokenRecord record;
  record.token_id = token_id;
  records.add(record);
}

bool sweep_expired_tokens(const HandlerContext& context, std::size_t most, RecordList& records) {
  std::size_t removed = 0;
  for (const auto& [id, token] : context.image.delegation_tokens().all()) {
    if (!is_expired(token, context.request.now.wall_ms)) continue;
    if (removed == most) return true;
    add_token_removal(id, records);
    ++removed;
  }
  return false;
}

}  // namespace hayward::core

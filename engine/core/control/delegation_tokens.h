// What the three APIs of delegation tokens share: who may ask, and the way from an HMAC to its token. A token's
// HMAC is its password; only the token's id is stored, the HMAC is made anew from it and the secret key.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/control/context.h"
#include "engine/core/image/security.h"
#include "engine/core/records.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// HMACs made before, so that a token is found without making them all again. Holds nothing that the image and
// the key would not give.
class TokenHmacs {
 public:
  // HMAC-SHA-512 of the id.
  const Buffer& of(const std::string& token_id, std::string_view secret_key);
  // nullptr: no token of `tokens` has this HMAC.
  const DelegationToken* find(Bytes hmac, const DelegationTokens& tokens, std::string_view secret_key);

 private:
  void forget_removed(const DelegationTokens& tokens);

  std::map<std::string, Buffer> by_id_;
  std::map<Buffer, std::string> by_hmac_;
};

// "User:alice".
std::string to_text(const Principal& principal);

// Kafka lets nobody have tokens who came with one, or who is not authenticated: a client that asks this listener
// itself, without TLS and SASL. Through an Envelope it is the broker's word that counts.
bool may_use_tokens(const RequestContext& request);

// delegation_token_auth_disabled (no delegation.token.secret.key), unsupported_version (metadata.version below
// 14), or none.
ErrorCode check_tokens_enabled(const HandlerContext& context);

// Owner, or named as a renewer.
bool may_renew(const DelegationToken& token, const Principal& principal);
bool is_expired(const DelegationToken& token, std::int64_t now_ms);

// now + duration, and not beyond the end of time. Both in ms, `duration_ms` >= 0.
std::int64_t time_after(std::int64_t now_ms, std::int64_t duration_ms);

void add_token_record(const HandlerContext& context, const DelegationToken& token, RecordList& records);
void add_token_removal(std::string_view token_id, RecordList& records);

// Removes at most `most` expired tokens; true: there are more.
bool sweep_expired_tokens(const HandlerContext& context, std::size_t most, RecordList& records);
inline constexpr std::size_t max_tokens_per_sweep = 1000;

}  // namespace hayward::core

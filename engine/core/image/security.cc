// ACLs, SCRAM credentials, delegation tokens: look-ups and exchanges.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/security.h"

#include "engine/core/image/exchange.h"

namespace hayward::core {

const Acl* Acls::find(Uuid id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : &at->second;
}

void Acls::exchange(Uuid id, std::optional<Acl>& other) {
  if (other) entries_.insert(*other);
  exchange_entry(by_id_, id, other);
  if (other) entries_.erase(entries_.find(*other));
}

const ScramCredential* Scram::find(std::string_view user, std::int8_t mechanism) const {
  const auto at = credentials_.find(ScramKey{std::string(user), mechanism});
  return at == credentials_.end() ? nullptr : &at->second;
}

void Scram::exchange(const ScramKey& key, std::optional<ScramCredential>& other) {
  exchange_entry(credentials_, key, other);
}

const DelegationToken* DelegationTokens::find(std::string_view token_id) const {
  const auto at = tokens_.find(token_id);
  return at == tokens_.end() ? nullptr : &at->second;
}

void DelegationTokens::exchange(const std::string& token_id, std::optional<DelegationToken>& other) {
  exchange_entry(tokens_, token_id, other);
}

}  // namespace hayward::core

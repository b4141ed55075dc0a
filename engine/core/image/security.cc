// ACLs, SCRAM credentials, delegation tokens: look-ups and exchanges.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/security.h"

#include <limits>

#include "engine/core/image/exchange.h"

namespace hayward::core {
namespace {

// What comes before every ACL about this resource.
Acls::Entry least_of(std::int8_t resource_type, std::string_view name) {
  constexpr std::int8_t least = std::numeric_limits<std::int8_t>::min();
  return {Acl{resource_type, std::string(name), least, "", "", least, least}, Uuid{}};
}

}  // namespace

const Acl* Acls::find(Uuid id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : &at->second;
}

bool Acls::contains(const Acl& acl) const {
  const auto at = by_value_.lower_bound({acl, Uuid{}});
  return at != by_value_.end() && at->first == acl;
}

Acls::Range Acls::of_type(std::int8_t resource_type) const {
  const auto end = resource_type == std::numeric_limits<std::int8_t>::max()
                       ? by_value_.end()
                       : by_value_.lower_bound(least_of(static_cast<std::int8_t>(resource_type + 1), ""));
  return {by_value_.lower_bound(least_of(resource_type, "")), end};
}

Acls::Range Acls::of_resource(std::int8_t resource_type, std::string_view name) const {
  std::string next(name);
  next += '\0';
  return {by_value_.lower_bound(least_of(resource_type, name)), by_value_.lower_bound(least_of(resource_type, next))};
}

std::vector<std::int8_t> Acls::resource_types() const {
  std::vector<std::int8_t> types;
  for (auto at = by_value_.begin(); at != by_value_.end(); at = of_type(types.back()).end()) {
    types.push_back(at->first.resource_type);
  }
  return types;
}

void Acls::exchange(Uuid id, std::optional<Acl>& other) {
  if (other) by_value_.emplace(*other, id);
  exchange_entry(by_id_, id, other);
  if (other) by_value_.erase({*other, id});
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

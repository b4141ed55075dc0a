// See acl_index.h.
#include "engine/core/authorizer/acl_index.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

constexpr std::string_view every_user = "User:*";

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool covers(AclPermission permission, AclOperation acl, AclOperation asked) {
  if (acl == AclOperation::all || acl == asked) return true;
  if (permission != AclPermission::allow) return false;
  switch (asked) {
    case AclOperation::describe:
      return acl == AclOperation::read || acl == AclOperation::write || acl == AclOperation::remove ||
             acl == AclOperation::alter;
    case AclOperation::describe_configs:
      return acl == AclOperation::alter_configs;
    default:
      return false;
  }
}

}  // namespace

AclIndex::Entry AclIndex::entry_of(const Acl& acl) {
  return {acl.principal, acl.host, acl.operation, acl.permission_type};
}

// nullptr: a pattern of a kind that matches nothing.
AclIndex::ByName* AclIndex::names_of(const Acl& acl) {
  Section& section = sections_[acl.resource_type];
  switch (static_cast<PatternType>(acl.pattern_type)) {
    case PatternType::literal: return &section.literal;
    case PatternType::prefixed: return &section.prefixed;
    default: return nullptr;
  }
}

void AclIndex::add(const Acl& acl) {
  ++size_;
  if (ByName* names = names_of(acl)) (*names)[acl.resource_name].insert(entry_of(acl));
}

void AclIndex::remove(const Acl& acl) {
  HAYWARD_ASSERT(size_ > 0, "an ACL is removed once");
  --size_;
  ByName* names = names_of(acl);
  if (names == nullptr) return;
  const auto at = names->find(acl.resource_name);
  HAYWARD_ASSERT(at != names->end(), "only what was added is removed");
  const auto entry = at->second.find(entry_of(acl));
  HAYWARD_ASSERT(entry != at->second.end(), "only what was added is removed");
  at->second.erase(entry);
  if (at->second.empty()) names->erase(at);
}

std::vector<AclIndex::Match> AclIndex::matches(ResourceType type, std::string_view name) const {
  std::vector<Match> found;
  const auto section = sections_.find(static_cast<std::int8_t>(type));
  if (section == sections_.end()) return found;
  const auto& [literal, prefixed] = section->second;
  const auto add_literal = [&, &names = literal](std::string_view wanted) {
    const auto at = names.find(wanted);
    if (at != names.end()) found.push_back({&at->first, &at->second, PatternType::literal});
  };
  add_literal(name);
  if (name != acl_wildcard) add_literal(acl_wildcard);
  // Downwards from `name`: what is not a prefix of it cuts the search to what the two have in common.
  std::string_view rest = name;
  auto at = prefixed.upper_bound(rest);
  while (at != prefixed.begin()) {
    --at;
    const std::size_t shared = common_prefix(rest, at->first);
    if (shared == at->first.size()) {
      found.push_back({&at->first, &at->second, PatternType::prefixed});
    } else {
      rest = rest.substr(0, shared);
      at = prefixed.upper_bound(rest);
    }
  }
  return found;
}

AclIndex::Verdict AclIndex::judge(const Entries& entries, const Requester& who, AclOperation operation) {
  Verdict verdict = Verdict::no_match;
  const auto look_at = [&](std::string_view principal) {
    const auto [begin, end] = entries.equal_range(principal);
    for (auto entry = begin; entry != end && verdict != Verdict::denied; ++entry) {
      const auto permission = static_cast<AclPermission>(entry->permission);
      if (entry->host != acl_wildcard && entry->host != who.host) continue;
      if (!covers(permission, static_cast<AclOperation>(entry->operation), operation)) continue;
      verdict = permission == AclPermission::allow ? Verdict::allowed : Verdict::denied;
    }
  };
  if (who.has_acls) look_at(who.principal);
  if (verdict != Verdict::denied) look_at(every_user);
  return verdict;
}

AclIndex::Verdict AclIndex::judge(const Requester& who, AclOperation operation, ResourceType type,
                                  std::string_view name) const {
  const std::vector<Match> found = matches(type, name);
  if (found.empty()) return Verdict::no_acls;
  Verdict verdict = Verdict::no_match;
  for (const Match& match : found) {
    const Verdict own = judge(*match.entries, who, operation);
    if (own == Verdict::denied) return own;
    if (own == Verdict::allowed) verdict = own;
  }
  return verdict;
}

AclIndex AclIndex::only(ResourceType type, std::string_view name) const {
  AclIndex result;
  Section& section = result.sections_[static_cast<std::int8_t>(type)];
  for (const Match& match : matches(type, name)) {
    (match.pattern == PatternType::literal ? section.literal : section.prefixed).emplace(*match.name, *match.entries);
    result.size_ += match.entries->size();
  }
  return result;
}

}  // namespace hayward::core

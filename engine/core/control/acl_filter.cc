// See acl_filter.h.
#include "engine/core/control/acl_filter.h"

#include <vector>

namespace hayward::core {
namespace {

constexpr std::int8_t any = 1;  // of every kind of code

bool fits(std::int8_t wanted, std::int8_t code) { return wanted == any || wanted == code; }
bool fits(const std::optional<std::string_view>& wanted, std::string_view text) { return !wanted || *wanted == text; }

template <class Code>
bool is_within(Code code, Code last) {
  return code > Code::unknown && code <= last;
}

}  // namespace

bool is_known(ResourceType code) { return is_within(code, ResourceType::user); }
bool is_known(PatternType code) { return is_within(code, PatternType::prefixed); }
bool is_known(AclOperation code) { return is_within(code, AclOperation::two_phase_commit); }
bool is_known(AclPermission code) { return is_within(code, AclPermission::allow); }

bool AclFilter::matches(const Acl& acl) const {
  const bool by_match = pattern_type == static_cast<std::int8_t>(PatternType::match);
  if (!fits(resource_type, acl.resource_type) || !(by_match || fits(pattern_type, acl.pattern_type))) return false;
  if (!fits(operation, acl.operation) || !fits(permission_type, acl.permission_type)) return false;
  if (!fits(principal, acl.principal) || !fits(host, acl.host)) return false;
  if (!by_match || !resource_name) return fits(resource_name, acl.resource_name);
  switch (static_cast<PatternType>(acl.pattern_type)) {
    case PatternType::literal: return *resource_name == acl.resource_name || acl.resource_name == acl_wildcard;
    case PatternType::prefixed: return resource_name->starts_with(acl.resource_name);
    default: return false;
  }
}

bool AclFilter::has_unknown_code() const {
  return !is_known(static_cast<ResourceType>(resource_type)) || !is_known(static_cast<PatternType>(pattern_type)) ||
         !is_known(static_cast<AclOperation>(operation)) || !is_known(static_cast<AclPermission>(permission_type));
}

namespace {

// Longer names have no prefixes looked up one by one.
constexpr std::size_t longest_looked_up = 256;

// Where matches may be, in ranges that do not overlap.
std::vector<Acls::Range> ranges_of(const Acls& acls, const AclFilter& filter) {
  std::vector<std::int8_t> types{filter.resource_type};
  if (filter.resource_type == any) types = acls.resource_types();
  const bool by_match = filter.pattern_type == static_cast<std::int8_t>(PatternType::match);
  std::vector<Acls::Range> ranges;
  for (const std::int8_t type : types) {
    if (!filter.resource_name || (by_match && filter.resource_name->size() > longest_looked_up)) {
      ranges.push_back(acls.of_type(type));
      continue;
    }
    const std::string_view name = *filter.resource_name;
    ranges.push_back(acls.of_resource(type, name));
    if (!by_match) continue;
    for (std::size_t length = 0; length < name.size(); ++length) {
      ranges.push_back(acls.of_resource(type, name.substr(0, length)));
    }
    if (!name.starts_with(acl_wildcard)) ranges.push_back(acls.of_resource(type, acl_wildcard));
  }
  return ranges;
}

}  // namespace

void for_each_match(const Acls& acls, const AclFilter& filter,
                    const std::function<bool(const Uuid&, const Acl&)>& visit) {
  for (const Acls::Range& range : ranges_of(acls, filter)) {
    for (const auto& [acl, id] : range) {
      if (filter.matches(acl) && !visit(id, acl)) return;
    }
  }
}

}  // namespace hayward::core

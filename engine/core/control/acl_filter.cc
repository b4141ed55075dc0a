// See acl_filter.h.
#include "engine/core/control/acl_filter.h"

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

}  // namespace hayward::core

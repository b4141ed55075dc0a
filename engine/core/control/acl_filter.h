// Which ACLs DescribeAcls and DeleteAcls are about.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/core/authorizer/acl_codes.h"
#include "engine/core/image/security.h"

namespace hayward::core {

// Codes as they came; texts are views of the request. nullopt matches anything.
struct AclFilter {
  std::int8_t resource_type = 0;
  std::optional<std::string_view> resource_name;
  std::int8_t pattern_type = 0;
  std::optional<std::string_view> principal;
  std::optional<std::string_view> host;
  std::int8_t operation = 0;
  std::int8_t permission_type = 0;

  // ANY (1) matches every code. The pattern type MATCH matches what would apply to a resource of that name:
  // literal, the wildcard, and prefixes of it.
  bool matches(const Acl& acl) const;
  // A code of 0: such a request cannot be read, and ends its connection.
  bool has_zero_code() const {
    return resource_type == 0 || pattern_type == 0 || operation == 0 || permission_type == 0;
  }
  // A code beyond those that there are.
  bool has_unknown_code() const;
};

// Calls `visit(id, acl) -> bool` for each that the filter matches, until it says false. The cost follows the resources
// that are named; a filter without a name looks at all ACLs of its resource type.
void for_each_match(const Acls& acls, const AclFilter& filter,
                    const std::function<bool(const Uuid&, const Acl&)>& visit);

// DescribeAclsRequest, or one of DeleteAclsRequest's filters.
template <class Message>
AclFilter filter_of(const Message& message) {
  return {message.resource_type_filter, message.resource_name_filter, message.pattern_type_filter,
          message.principal_filter,     message.host_filter,          message.operation,
          message.permission_type};
}

// Whether `code` is one of the first to the last of its kind, ANY and the like included.
bool is_known(ResourceType code);
bool is_known(PatternType code);
bool is_known(AclOperation code);
bool is_known(AclPermission code);

}  // namespace hayward::core

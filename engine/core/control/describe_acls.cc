// See describe_acls.h.
#include "engine/core/control/describe_acls.h"

#include <set>

#include "engine/core/authorizer/authorizer.h"
#include "engine/core/control/acl_filter.h"

namespace hayward::core {
namespace {

using Request = messages::DescribeAclsRequest;
using Response = messages::DescribeAclsResponse;

struct ByValue {
  bool operator()(const Acl* a, const Acl* b) const { return *a < *b; }
};
// The same ACL may be there under several ids.
using Found = std::set<const Acl*, ByValue>;

bool is_same_resource(const Response::DescribeAclsResource& resource, const Acl& acl) {
  return resource.resource_type == acl.resource_type && resource.resource_name == acl.resource_name &&
         resource.pattern_type == acl.pattern_type;
}

}  // namespace

bool is_readable(const Request& request) { return !filter_of(request).has_zero_code(); }

Response describe_acls(const HandlerContext& context, const Request& request) {
  Response response;
  if (!context.authorizer.enabled()) {
    response.error_code = ErrorCode::security_disabled;
    response.error_message = "No authorizer is configured on this controller.";
    return response;
  }
  const AclFilter filter = filter_of(request);
  Found found;
  for (const auto& [id, acl] : context.authorizer.acls()) {
    if (filter.matches(acl)) found.insert(&acl);
  }
  for (const Acl* acl : found) {
    auto& resources = response.resources;
    if (resources.empty() || !is_same_resource(resources[resources.size() - 1], *acl)) {
      auto& resource = resources.push_back(context.arena);
      resource.resource_type = acl->resource_type;
      resource.resource_name = acl->resource_name;
      resource.pattern_type = acl->pattern_type;
    }
    auto& entry = resources[resources.size() - 1].acls.push_back(context.arena);
    entry.principal = acl->principal;
    entry.host = acl->host;
    entry.operation = acl->operation;
    entry.permission_type = acl->permission_type;
  }
  return response;
}

}  // namespace hayward::core

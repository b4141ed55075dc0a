// See access.h.
#include "engine/core/control/access.h"

#include "engine/core/authorizer/authorizer.h"

namespace hayward::core {
namespace {

Decision decide(const Authorizer& authorizer, const RequestContext& request, AclOperation operation, ResourceType type,
                std::string_view name) {
  if (!authorizer.enabled()) return Decision::allowed;
  const Requester who = requester(request.principal.type, request.principal.name, request.client_address);
  return authorizer.rules().decide(who, operation, type, name);
}

}  // namespace

Decision Access::check(const Authorizer& authorizer, const RequestContext& request) const {
  switch (kind_) {
    case Kind::open: return Decision::allowed;
    case Kind::cluster: return decide(authorizer, request, operation_, ResourceType::cluster, cluster_resource_name);
    case Kind::by_item: break;
  }
  const bool ready = decide(authorizer, request, AclOperation::describe, ResourceType::cluster,
                            cluster_resource_name) != Decision::not_ready;
  return ready ? Decision::allowed : Decision::not_ready;
}

bool is_allowed(const HandlerContext& context, AclOperation operation, ResourceType type, std::string_view name) {
  return decide(context.authorizer, context.request, operation, type, name) == Decision::allowed;
}

}  // namespace hayward::core

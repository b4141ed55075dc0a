// See access.h.
#include "engine/core/control/access.h"

#include "engine/core/authorizer/authorizer.h"
#include "schemas/messages/api_keys.h"

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
    case Kind::open:
      return Decision::allowed;
    case Kind::cluster:
      return decide(authorizer, request, operation_, ResourceType::cluster, cluster_resource_name);
    case Kind::by_item:
      break;
  }
  const bool ready = decide(authorizer, request, AclOperation::describe, ResourceType::cluster,
                            cluster_resource_name) != Decision::not_ready;
  return ready ? Decision::allowed : Decision::not_ready;
}

bool is_replicas_api(std::int16_t api_key) {
  switch (static_cast<messages::ApiKey>(api_key)) {
    case messages::ApiKey::fetch:
    case messages::ApiKey::fetch_snapshot:
    case messages::ApiKey::vote:
    case messages::ApiKey::begin_quorum_epoch:
    case messages::ApiKey::end_quorum_epoch:
      return true;
    default:
      return false;
  }
}

ErrorCode refusal_code(Decision decision, std::int16_t api_key) {
  const bool says_so = decision == Decision::denied && !is_replicas_api(api_key);
  return says_so ? ErrorCode::cluster_authorization_failed : ErrorCode::unknown_server_error;
}

bool is_allowed(const HandlerContext& context, AclOperation operation, ResourceType type, std::string_view name) {
  return decide(context.authorizer, context.request, operation, type, name) == Decision::allowed;
}

}  // namespace hayward::core

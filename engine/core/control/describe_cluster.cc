// See describe_cluster.h.
#include "engine/core/control/describe_cluster.h"

#include <string>

#include "engine/core/control/access.h"
#include "engine/core/control/refusals.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using messages::DescribeClusterRequest;
using messages::DescribeClusterResponse;

enum EndpointType : std::int8_t { broker_endpoint = 1, controller_endpoint = 2 };

// All that Kafka knows for the cluster resource.
constexpr AclOperation cluster_operations[] = {AclOperation::create,           AclOperation::alter,
                                               AclOperation::describe,         AclOperation::cluster_action,
                                               AclOperation::describe_configs, AclOperation::alter_configs,
                                               AclOperation::idempotent_write};

// What the caller may do, as bits by the operations' numbers; nothing for one who may not even describe.
std::int32_t authorized_operations(const HandlerContext& context) {
  if (!is_allowed_on_cluster(context, AclOperation::describe)) return 0;
  std::int32_t bits = 0;
  for (const AclOperation operation : cluster_operations) {
    if (is_allowed_on_cluster(context, operation)) bits |= 1 << static_cast<int>(operation);
  }
  return bits;
}

DescribeClusterResponse refuse(ErrorCode error, std::string_view message) {
  DescribeClusterResponse response;
  response.error_code = error;
  response.error_message = message;
  return response;
}

std::optional<DescribeClusterResponse> check(const HandlerContext& context, const DescribeClusterRequest& request) {
  const auto version = context.image.features().metadata_version();
  if (!version || !version->controller_registration()) {
    return refuse(ErrorCode::unsupported_version,
                  "Direct-to-controller communication is not supported with the current MetadataVersion.");
  }
  // Stricter than on a broker, as in Kafka.
  if (!is_allowed_on_cluster(context, AclOperation::alter)) {
    return refuse(ErrorCode::cluster_authorization_failed, refusal_text(ErrorCode::cluster_authorization_failed));
  }
  if (request.endpoint_type == controller_endpoint) return std::nullopt;
  const bool known = request.endpoint_type == broker_endpoint;
  const ErrorCode error = known ? ErrorCode::mismatched_endpoint_type : ErrorCode::unsupported_endpoint_type;
  const std::string_view message =
      known ? "The request was sent to an endpoint of type CONTROLLER, but we wanted an endpoint of type BROKER"
            : context.arena.copy("Unsupported endpoint type " + std::to_string(request.endpoint_type));
  return refuse(context.request.api_version == 0 ? ErrorCode::invalid_request : error, message);
}

}  // namespace

DescribeClusterResponse describe_cluster(const HandlerContext& context, const DescribeClusterRequest& request,
                                         NodeId leader) {
  if (auto refused = check(context, request)) return *refused;
  DescribeClusterResponse response;
  response.endpoint_type = controller_endpoint;
  response.cluster_id = context.config.cluster_id;
  response.controller_id = no_node;
  if (request.include_cluster_authorized_operations) {
    response.cluster_authorized_operations = authorized_operations(context);
  }
  for (const auto& [id, controller] : context.image.cluster().controllers()) {
    for (const Endpoint& endpoint : controller.endpoints) {
      if (endpoint.listener != context.request.listener) continue;
      auto& broker = response.brokers.push_back(context.arena);
      broker.broker_id = id;
      broker.host = endpoint.host;
      broker.port = endpoint.port;
      if (id == leader) response.controller_id = leader;
      break;
    }
  }
  return response;
}

}  // namespace hayward::core

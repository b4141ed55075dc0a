// See describe_cluster.h.
#include "engine/core/control/describe_cluster.h"

#include <string>

#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using messages::DescribeClusterRequest;
using messages::DescribeClusterResponse;

enum EndpointType : std::int8_t { broker_endpoint = 1, controller_endpoint = 2 };

// Without an authorizer everything that Kafka knows for the cluster resource is allowed: ALTER 7, CREATE 5,
// CLUSTER_ACTION 9, DESCRIBE_CONFIGS 10, DESCRIBE 8, ALTER_CONFIGS 11, IDEMPOTENT_WRITE 12, as bits.
constexpr std::int32_t all_cluster_operations =
    1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12;

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
  if (request.include_cluster_authorized_operations) response.cluster_authorized_operations = all_cluster_operations;
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

// See target.h.
#include "tools/load/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"
#include "schemas/messages/fetch_request.h"
#include "tools/client/client.h"

namespace hayward::tools {
namespace {

constexpr int timeout_ms = 5000;
constexpr std::int16_t oldest_fetch = 17, newest_fetch = 18;

// The active controller, as the one that was named knows it.
std::expected<FoundController, std::string> ask_for_active(Client& client, const std::string& address) {
  constexpr std::int8_t controllers = 2;
  messages::DescribeClusterRequest request;
  request.endpoint_type = controllers;
  const auto answer = client.call<messages::DescribeClusterResponse>(request, 1);
  if (!answer) return std::unexpected(answer.error());
  if (answer->error_code != ErrorCode::none) {
    return std::unexpected(address + ": expected a controller, found " + std::string(name(answer->error_code)));
  }
  for (const auto& node : answer->brokers) {
    if (node.broker_id != answer->controller_id) continue;
    return FoundController{fmt::format("{}:{}", node.host, node.port), std::string(answer->cluster_id), 17, {}};
  }
  return std::unexpected(address + ": expected an active controller, found none");
}

std::int16_t fetch_version(Client& client) {
  messages::ApiVersionsRequest request;
  request.client_software_name = "hayward-load";
  request.client_software_version = "1";
  const auto answer = client.call<messages::ApiVersionsResponse>(request, 3);
  if (!answer) return oldest_fetch;
  for (const auto& api : answer->api_keys) {
    if (api.api_key == messages::FetchRequest::api_key) return std::clamp(api.max_version, oldest_fetch, newest_fetch);
  }
  return oldest_fetch;
}

}  // namespace

std::expected<FoundController, std::string> find_controller(const std::string& address) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  auto client = Client::connect(address, timeout_ms);
  if (!client) return std::unexpected(client.error());
  auto found = ask_for_active(*client, address);
  while (!found && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    found = ask_for_active(*client, address);
  }
  if (!found) return found;
  auto active = Client::connect(found->address, timeout_ms);
  if (!active) return std::unexpected(active.error());
  found->fetch_version = fetch_version(*active);
  found->target.length = active->peer_address(found->target.address);
  return found;
}

}  // namespace hayward::tools

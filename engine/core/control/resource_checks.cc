#include "engine/core/control/resource_checks.h"

#include <algorithm>
#include <utility>

#include "engine/core/control/client_metrics_configs.h"
#include "engine/core/control/group_configs.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

constexpr std::size_t max_topic_name_length = 249;

ApiFault invalid_config(std::string text) { return {ErrorCode::invalid_config, std::move(text)}; }
ApiFault invalid_request(std::string text) { return {ErrorCode::invalid_request, std::move(text)}; }

bool is_topic_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

std::optional<NodeId> node_of(std::string_view name) {
  const auto id = parse_integer(name, INT32_MIN, INT32_MAX);
  return id ? std::optional(NodeId{static_cast<std::int32_t>(*id)}) : std::nullopt;
}

std::optional<ApiFault> check_topic(const HandlerContext& context, const ConfigResource& resource,
                                    const ConfigMap& proposed, const ConfigMap& existing) {
  if (resource.name.empty()) return invalid_request("There are no configs for all topics: name one");
  if (auto why = why_illegal_topic_name(resource.name)) return ApiFault{ErrorCode::invalid_topic_exception, *why};
  if (auto why = validate_topic_configs(proposed, &existing, broker_layers(context))) return invalid_config(*why);
  return std::nullopt;
}

std::optional<ApiFault> check_broker(const ConfigResource& resource) {
  if (resource.name.empty()) return std::nullopt;
  const auto id = node_of(resource.name);
  if (!id) return invalid_request("Not a node id: " + resource.name);
  if (id->value < 0) return invalid_request("A node id is not negative: " + resource.name);
  return std::nullopt;
}

bool is_known_node(const HandlerContext& context, NodeId id) {
  const Cluster& cluster = context.image.cluster();
  if (cluster.broker(id) != nullptr || cluster.controller(id) != nullptr) return true;
  return std::ranges::any_of(context.config.static_voters, [&](const Voter& voter) { return voter.id == id; });
}

}  // namespace

std::optional<std::string> why_illegal_topic_name(std::string_view name) {
  if (name.empty()) return "The topic name is invalid: it is empty";
  if (name == "." || name == "..") return "The topic name is invalid: it cannot be . or ..";
  if (name.size() > max_topic_name_length) return "The topic name is invalid: it has more than 249 characters";
  if (!std::ranges::all_of(name, is_topic_character)) {
    return "The topic name is invalid: it may hold ASCII letters and digits, '.', '_' and '-' only";
  }
  return std::nullopt;
}

std::optional<ApiFault> check_configs(const HandlerContext& context, const ConfigResource& resource,
                                      const ConfigMap& proposed, const ConfigMap& existing) {
  switch (resource.type) {
    case ConfigResourceType::topic:
      return check_topic(context, resource, proposed, existing);
    case ConfigResourceType::broker:
      return check_broker(resource);
    case ConfigResourceType::client_metrics: {
      if (resource.name.empty()) return invalid_request("A client metrics subscription has a name");
      auto fault = validate_client_metrics_configs(proposed);
      return fault ? std::optional(ApiFault{fault->code, std::move(fault->text)}) : std::nullopt;
    }
    case ConfigResourceType::group: {
      if (resource.name.empty()) return invalid_request("There are no configs for all groups: name one");
      auto why = validate_group_configs(proposed, broker_layers(context));
      return why ? std::optional(invalid_config(std::move(*why))) : std::nullopt;
    }
  }
  return invalid_request("Configs of this resource type are not kept");
}

std::optional<ApiFault> check_exists(const HandlerContext& context, const ConfigResource& resource) {
  if (resource.type == ConfigResourceType::topic && context.image.topics().find(resource.name) == nullptr) {
    return ApiFault{ErrorCode::unknown_topic_or_partition, "There is no topic named " + resource.name};
  }
  if (resource.type != ConfigResourceType::broker || resource.name.empty()) return std::nullopt;
  const auto id = node_of(resource.name);
  if (id && is_known_node(context, *id)) return std::nullopt;
  return ApiFault{ErrorCode::broker_id_not_registered, "There is no node with the id " + resource.name};
}

}  // namespace hayward::core

#include "engine/core/control/describe_configs.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/control/access.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/control/config_descriptions.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/control/resource_checks.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::DescribeConfigsRequest;
using Response = messages::DescribeConfigsResponse;
using Resource = Request::DescribeConfigsResource;
using Described = std::expected<ConfigDescriptions, ApiFault>;

std::unexpected<ApiFault> invalid_request(std::string text) {
  return std::unexpected(ApiFault{ErrorCode::invalid_request, std::move(text)});
}

Described describe_topic_named(const HandlerContext& context, std::string_view name) {
  if (auto why = why_illegal_topic_name(name)) {
    return std::unexpected(ApiFault{ErrorCode::invalid_topic_exception, std::move(*why)});
  }
  if (context.image.topics().find(name) == nullptr) {
    return std::unexpected(ApiFault{ErrorCode::unknown_topic_or_partition, ""});
  }
  return describe_topic(context.image.configs().of(ConfigResourceType::topic, name), broker_layers(context));
}

// Whether `name` is this node's id.
std::optional<ApiFault> check_own_node(const HandlerContext& context, std::string_view name) {
  const auto id = parse_integer(name, INT32_MIN, INT32_MAX);
  if (!id) return ApiFault{ErrorCode::invalid_request, "Not a node id: " + std::string(name)};
  if (*id == context.config.node_id.value) return std::nullopt;
  return ApiFault{ErrorCode::invalid_request, "This is node " + std::to_string(context.config.node_id.value) +
                                                  ": it cannot speak for node " + std::string(name)};
}

Described describe_node(const HandlerContext& context, std::string_view name) {
  if (name.empty()) return describe_cluster_default(broker_layers(context));
  if (auto fault = check_own_node(context, name)) return std::unexpected(std::move(*fault));
  return describe_own_node(broker_layers(context));
}

Described describe_loggers(const HandlerContext& context, std::string_view name) {
  if (name.empty()) return invalid_request("Loggers are a node's: name it");
  if (auto fault = check_own_node(context, name)) return std::unexpected(std::move(*fault));
  return ConfigDescriptions{};  // this node has no loggers by name
}

// What to say to one who may not see this resource's configs.
std::optional<ApiFault> check_access(const HandlerContext& context, const Resource& resource) {
  constexpr AclOperation operation = AclOperation::describe_configs;
  const auto is_topic = resource.resource_type == static_cast<std::int8_t>(ConfigResourceType::topic);
  const auto is_group = resource.resource_type == static_cast<std::int8_t>(ConfigResourceType::group);
  if (is_topic || is_group) {
    const ResourceType type = is_topic ? ResourceType::topic : ResourceType::group;
    if (is_allowed(context, operation, type, resource.resource_name)) return std::nullopt;
    return ApiFault{is_topic ? ErrorCode::topic_authorization_failed : ErrorCode::group_authorization_failed,
                    "The caller may not see its configs"};
  }
  if (is_allowed_on_cluster(context, operation)) return std::nullopt;
  return ApiFault{ErrorCode::cluster_authorization_failed, "The caller may not see the cluster's configs"};
}

Described describe(const HandlerContext& context, const Resource& resource) {
  const std::string_view name = resource.resource_name;
  if (resource.resource_type == broker_logger_resource_type) return describe_loggers(context, name);
  const Configs& configs = context.image.configs();
  switch (static_cast<ConfigResourceType>(resource.resource_type)) {
    case ConfigResourceType::topic:
      return describe_topic_named(context, name);
    case ConfigResourceType::broker:
      return describe_node(context, name);
    case ConfigResourceType::client_metrics:
      if (name.empty()) return invalid_request("A client metrics subscription has a name");
      return describe_client_metrics(configs.of(ConfigResourceType::client_metrics, name));
    case ConfigResourceType::group:
      if (name.empty()) return invalid_request("A group has a name");
      return describe_group(configs.of(ConfigResourceType::group, name), broker_layers(context));
  }
  return invalid_request("Unknown resource type " + std::to_string(resource.resource_type));
}

bool is_asked_for(const Resource& resource, std::string_view key) {
  const auto& keys = resource.configuration_keys;
  return keys.is_null() || keys.empty() || std::ranges::find(keys, key) != keys.end();
}

std::optional<std::string_view> kept(const std::optional<std::string>& text, Arena& arena) {
  if (!text) return std::nullopt;
  return arena.copy(*text);
}

void add_entry(const ConfigDescription& description, bool with_synonyms, Arena& arena,
               Response::DescribeConfigsResult& result) {
  auto& entry = result.configs.push_back(arena);
  entry.name = arena.copy(description.name);
  entry.value = kept(description.value, arena);
  entry.read_only = description.read_only;
  entry.config_source = static_cast<std::int8_t>(description.source());
  entry.is_sensitive = description.sensitive;
  entry.config_type = static_cast<std::int8_t>(description.type);
  entry.documentation = std::nullopt;
  if (!with_synonyms) return;
  for (const ConfigSynonym& synonym : description.synonyms) {
    auto& shown = entry.synonyms.push_back(arena);
    shown.name = arena.copy(synonym.name);
    shown.value = kept(synonym.value, arena);
    shown.source = static_cast<std::int8_t>(synonym.source);
  }
}

Response::DescribeConfigsResult& add_result(const HandlerContext& context, const Resource& resource,
                                            Response& response) {
  auto& result = response.results.push_back(context.arena);
  result.resource_type = resource.resource_type;
  result.resource_name = resource.resource_name;
  return result;
}

void set_fault(const HandlerContext& context, const ApiFault& fault, Response::DescribeConfigsResult& result) {
  result.error_code = fault.code;
  result.error_message = text_of(fault, context.arena);
}

}  // namespace

Response describe_configs(const HandlerContext& context, const Request& request) {
  Response response;
  std::vector<std::pair<const Resource*, ApiFault>> refused;  // they come last, as in Kafka
  for (const auto& resource : request.resources) {
    if (auto fault = check_access(context, resource)) {
      refused.emplace_back(&resource, std::move(*fault));
      continue;
    }
    auto& result = add_result(context, resource, response);
    const Described described = describe(context, resource);
    if (!described) {
      set_fault(context, described.error(), result);
      continue;
    }
    for (const ConfigDescription& description : *described) {
      if (!is_asked_for(resource, description.name)) continue;
      add_entry(description, request.include_synonyms, context.arena, result);
    }
  }
  for (const auto& [resource, fault] : refused) set_fault(context, fault, add_result(context, *resource, response));
  return response;
}

}  // namespace hayward::core

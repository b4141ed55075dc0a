#include "engine/core/control/incremental_alter_configs.h"

#include <optional>
#include <string>

#include "engine/core/control/access.h"
#include "engine/core/control/alter_each_resource.h"
#include "engine/core/control/config_changes.h"
#include "engine/core/control/config_def.h"

namespace hayward::core {
namespace {

using Request = messages::IncrementalAlterConfigsRequest;
using Response = messages::IncrementalAlterConfigsResponse;
using Resource = Request::AlterConfigsResource;

ConfigAlterations alterations_of(const Resource& resource) {
  ConfigAlterations alterations;
  for (const auto& config : resource.configs) {
    alterations.insert_or_assign(config.name, ConfigAlteration{config.config_operation, config.value});
  }
  return alterations;
}

ApiFault check_logger_change(const Request::AlterableConfig& config) {
  const std::string name(config.name);
  switch (static_cast<ConfigOperation>(config.config_operation)) {
    case ConfigOperation::set:
    case ConfigOperation::remove:
      return {ErrorCode::invalid_config, "There is no logger named " + name};
    case ConfigOperation::append:
    case ConfigOperation::subtract:
      break;
  }
  return {ErrorCode::invalid_request, "A logger's level can only be set or deleted: " + name};
}

ApiFault alter_loggers(const HandlerContext& context, const Resource& resource) {
  if (!is_allowed_on_cluster(context, AclOperation::cluster_action)) {
    return {ErrorCode::cluster_authorization_failed, "The caller may not change loggers"};
  }
  const auto id = parse_integer(resource.resource_name, INT32_MIN, INT32_MAX);
  if (!id) return {ErrorCode::invalid_request, "Not a node id: " + std::string(resource.resource_name)};
  if (*id != context.config.node_id.value) {
    return {ErrorCode::invalid_request, "Loggers can only be changed on their own node: this is node " +
                                            std::to_string(context.config.node_id.value)};
  }
  if (resource.configs.empty()) return {};
  return check_logger_change(resource.configs[0]);
}

}  // namespace

Response incremental_alter_configs(const HandlerContext& context, const Request& request, RecordList& records) {
  return alter_each_resource<Response>(
      context, request, records,
      [&](const Resource& resource, RecordList& to, StaleElrs& stale_elrs) -> std::optional<ApiFault> {
        if (resource.resource_type == broker_logger_resource_type) return alter_loggers(context, resource);
        const ConfigResource target{static_cast<ConfigResourceType>(resource.resource_type),
                                    std::string(resource.resource_name)};
        return alter_configs(context, target, alterations_of(resource), false, to, stale_elrs);
      });
}

}  // namespace hayward::core

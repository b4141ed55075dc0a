#include "engine/core/control/alter_configs.h"

#include <optional>
#include <string>

#include "engine/core/control/alter_each_resource.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::AlterConfigsRequest;
using Response = messages::AlterConfigsResponse;
using Resource = Request::AlterConfigsResource;

ConfigAlterations replacement(const ConfigMap& existing, const Resource& resource) {
  ConfigAlterations alterations;
  for (const auto& [name, value] : existing) {
    alterations[name] = {static_cast<std::int8_t>(ConfigOperation::remove), std::nullopt};
  }
  for (const auto& config : resource.configs) {
    alterations[config.name] = {static_cast<std::int8_t>(ConfigOperation::set), config.value};
  }
  return alterations;
}

}  // namespace

Response replace_configs(const HandlerContext& context, const Request& request, RecordList& records) {
  return alter_each_resource<Response>(
      context, request, records,
      [&](const Resource& resource, RecordList& to, StaleElrs& stale_elrs) -> std::optional<ApiFault> {
        if (resource.resource_type == broker_logger_resource_type) {
          return ApiFault{ErrorCode::invalid_request, "Loggers can only be changed one by one"};
        }
        const ConfigResource target{static_cast<ConfigResourceType>(resource.resource_type),
                                    std::string(resource.resource_name)};
        const ConfigMap& existing = context.image.configs().of(target.type, target.name);
        return alter_configs(context, target, replacement(existing, resource), false, to, stale_elrs);
      });
}

}  // namespace hayward::core

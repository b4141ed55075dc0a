#include "engine/core/control/incremental_alter_configs.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/control/config_changes.h"
#include "engine/core/control/config_def.h"

namespace hayward::core {
namespace {

using Request = messages::IncrementalAlterConfigsRequest;
using Response = messages::IncrementalAlterConfigsResponse;
using Resource = Request::AlterConfigsResource;

bool is_known_type(std::int8_t type) {
  switch (static_cast<ConfigResourceType>(type)) {
    case ConfigResourceType::topic:
    case ConfigResourceType::broker:
    case ConfigResourceType::client_metrics:
    case ConfigResourceType::group:
      return true;
  }
  return false;
}

void answer(const HandlerContext& context, const Resource& resource, const ApiFault& fault, Response& response) {
  auto& item = response.responses.push_back(context.arena);
  item.error_code = fault.code;
  item.error_message = text_of(fault, context.arena);
  item.resource_type = resource.resource_type;
  item.resource_name = resource.resource_name;
}

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
  const auto id = parse_integer(resource.resource_name, INT32_MIN, INT32_MAX);
  if (!id) return {ErrorCode::invalid_request, "Not a node id: " + std::string(resource.resource_name)};
  if (*id != context.config.node_id.value) {
    return {ErrorCode::invalid_request, "Loggers can only be changed on their own node: this is node " +
                                            std::to_string(context.config.node_id.value)};
  }
  if (resource.configs.empty()) return {};
  return check_logger_change(resource.configs[0]);
}

// Kafka names a repeated resource once, and touches none of its occurrences.
class Repeated {
 public:
  explicit Repeated(const Request& request) {
    for (const auto& resource : request.resources) {
      if (!seen_.insert(key(resource)).second) repeated_.insert(key(resource));
    }
  }
  bool contains(const Resource& resource) const { return repeated_.contains(key(resource)); }
  // True at the first call about this resource.
  bool answer_now(const Resource& resource) { return answered_.insert(key(resource)).second; }

 private:
  using Key = std::pair<std::int8_t, std::string_view>;
  static Key key(const Resource& resource) { return {resource.resource_type, resource.resource_name}; }
  std::set<Key> seen_;
  std::set<Key> repeated_;
  std::set<Key> answered_;
};

Response all_failed(const HandlerContext& context, const Request& request, const ApiFault& fault) {
  Response response;
  for (const auto& resource : request.resources) answer(context, resource, fault, response);
  return response;
}

}  // namespace

Response incremental_alter_configs(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  const std::size_t before = records.size();
  StaleElrs stale_elrs;
  Repeated repeated(request);
  for (const auto& resource : request.resources) {
    if (resource.resource_type == broker_logger_resource_type) {
      answer(context, resource, alter_loggers(context, resource), response);
      continue;
    }
    if (!is_known_type(resource.resource_type)) {
      answer(context, resource,
             {ErrorCode::unsupported_version, "Unknown resource type " + std::to_string(resource.resource_type)},
             response);
      continue;
    }
    if (repeated.contains(resource)) {
      if (repeated.answer_now(resource)) {
        answer(context, resource, {ErrorCode::invalid_request, "The resource is in the request twice"}, response);
      }
      continue;
    }
    const ConfigResource target{static_cast<ConfigResourceType>(resource.resource_type),
                                std::string(resource.resource_name)};
    auto fault = alter_configs(context, target, alterations_of(resource), false, records, stale_elrs);
    answer(context, resource, fault.value_or(ApiFault{}), response);
  }
  stale_elrs.add_records(records);
  if (records.size() - before > max_records_per_user_operation) {
    records.truncate(before);
    return all_failed(context, request, too_many_records());
  }
  if (request.validate_only) records.truncate(before);
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

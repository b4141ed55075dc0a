// What AlterConfigs and IncrementalAlterConfigs have in common: each resource of the request is changed whole or
// not at all, its failure does not touch the others, and all that is written is one atomic batch.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/control/api_fault.h"
#include "engine/core/control/config_changes.h"
#include "engine/core/control/config_def.h"
#include "engine/core/records.h"

namespace hayward::core {

// Kafka names a repeated resource once, and touches none of its occurrences.
class RepeatedResources {
 public:
  template <class Request>
  explicit RepeatedResources(const Request& request) {
    for (const auto& resource : request.resources) {
      if (!seen_.insert(key(resource)).second) repeated_.insert(key(resource));
    }
  }
  template <class Resource>
  bool contains(const Resource& resource) const {
    return repeated_.contains(key(resource));
  }
  // True at the first call about this resource.
  template <class Resource>
  bool answer_now(const Resource& resource) {
    return answered_.insert(key(resource)).second;
  }

 private:
  using Key = std::pair<std::int8_t, std::string_view>;
  template <class Resource>
  static Key key(const Resource& resource) {
    return {resource.resource_type, resource.resource_name};
  }
  std::set<Key> seen_;
  std::set<Key> repeated_;
  std::set<Key> answered_;
};

inline bool is_config_resource_type(std::int8_t type) {
  switch (static_cast<ConfigResourceType>(type)) {
    case ConfigResourceType::topic:
    case ConfigResourceType::broker:
    case ConfigResourceType::client_metrics:
    case ConfigResourceType::group:
      return true;
  }
  return type == broker_logger_resource_type;
}

template <class Response, class Resource>
void answer_resource(const HandlerContext& context, const Resource& resource, const ApiFault& fault,
                     Response& response) {
  auto& item = response.responses.push_back(context.arena);
  item.error_code = fault.code;
  item.error_message = text_of(fault, context.arena);
  item.resource_type = resource.resource_type;
  item.resource_name = resource.resource_name;
}

// `alter(resource, records, stale_elrs) -> std::optional<ApiFault>` is asked about every resource of a known type
// that is in the request once.
template <class Response, class Request, class Alter>
Response alter_each_resource(const HandlerContext& context, const Request& request, RecordList& records,
                             Alter&& alter) {
  Response response;
  const std::size_t before = records.size();
  StaleElrs stale_elrs;
  RepeatedResources repeated(request);
  for (const auto& resource : request.resources) {
    if (!is_config_resource_type(resource.resource_type)) {
      answer_resource(
          context, resource,
          {ErrorCode::unsupported_version, "Unknown resource type " + std::to_string(resource.resource_type)},
          response);
    } else if (!repeated.contains(resource)) {
      const std::optional<ApiFault> fault = alter(resource, records, stale_elrs);
      answer_resource(context, resource, fault.value_or(ApiFault{}), response);
    } else if (repeated.answer_now(resource)) {
      answer_resource(context, resource, {ErrorCode::invalid_request, "The resource is in the request twice"},
                      response);
    }
  }
  stale_elrs.add_records(records);
  if (records.size() - before > max_records_per_user_operation) {
    records.truncate(before);
    Response failed;
    for (const auto& resource : request.resources) answer_resource(context, resource, too_many_records(), failed);
    return failed;
  }
  if (request.validate_only) records.truncate(before);
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

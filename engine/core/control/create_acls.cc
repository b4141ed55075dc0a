// See create_acls.h.
#include "engine/core/control/create_acls.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/core/control/acl_filter.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/image/image.h"
#include "schemas/records/access_control_entry_record.h"

namespace hayward::core {
namespace {

using Request = messages::CreateAclsRequest;
using Response = messages::CreateAclsResponse;
using Creation = Request::AclCreation;

ApiFault invalid(std::string text) { return {ErrorCode::invalid_request, std::move(text)}; }

Acl acl_of(const Creation& creation) {
  return {creation.resource_type,    std::string(creation.resource_name), creation.resource_pattern_type,
          std::string(creation.principal), std::string(creation.host),    creation.operation,
          creation.permission_type};
}

bool has_zero_code(const Acl& acl) {
  return acl.resource_type == 0 || acl.pattern_type == 0 || acl.operation == 0 || acl.permission_type == 0;
}

bool is_for_filters(const Acl& acl) {
  return acl.resource_type == static_cast<std::int8_t>(ResourceType::any) ||
         acl.pattern_type == static_cast<std::int8_t>(PatternType::any) ||
         acl.pattern_type == static_cast<std::int8_t>(PatternType::match) ||
         acl.operation == static_cast<std::int8_t>(AclOperation::any) ||
         acl.permission_type == static_cast<std::int8_t>(AclPermission::any);
}

std::optional<ApiFault> check(const Acl& acl) {
  const bool is_cluster = acl.resource_type == static_cast<std::int8_t>(ResourceType::cluster);
  if (is_cluster && acl.resource_name != cluster_resource_name) {
    return invalid("The cluster has one name, " + std::string(cluster_resource_name));
  }
  if (acl.resource_name.empty()) return invalid("The resource has no name");
  if (!is_known(static_cast<ResourceType>(acl.resource_type))) return invalid("Unknown resource type");
  if (!is_known(static_cast<PatternType>(acl.pattern_type))) return invalid("Unknown pattern type");
  if (!is_known(static_cast<AclOperation>(acl.operation))) return invalid("Unknown operation");
  if (!is_known(static_cast<AclPermission>(acl.permission_type))) return invalid("Unknown permission type");
  if (acl.principal.find(':') == std::string::npos) return invalid("A principal is type:name, not " + acl.principal);
  return std::nullopt;
}

void add_record(const HandlerContext& context, const Acl& acl, RecordList& records) {
  records::AccessControlEntryRecord record;
  do record.id = context.prng.uuid();
  while (context.image.acls().find(record.id) != nullptr);
  record.resource_type = acl.resource_type;
  record.resource_name = acl.resource_name;
  record.pattern_type = acl.pattern_type;
  record.principal = acl.principal;
  record.host = acl.host;
  record.operation = acl.operation;
  record.permission_type = acl.permission_type;
  records.add(record);
}

Response answer(const HandlerContext& context, const std::vector<ApiFault>& results) {
  Response response;
  for (const ApiFault& result : results) {
    auto& item = response.results.push_back(context.arena);
    item.error_code = result.code;
    if (result.code != ErrorCode::none) item.error_message = text_of(result, context.arena);
  }
  return response;
}

}  // namespace

bool is_readable(const Request& request) {
  return std::ranges::none_of(request.creations, [](const Creation& c) { return has_zero_code(acl_of(c)); });
}

Response create_acls(const HandlerContext& context, const Request& request, RecordList& records) {
  std::vector<Acl> acls;
  for (const Creation& creation : request.creations) acls.push_back(acl_of(creation));
  std::vector<ApiFault> results;
  if (std::ranges::any_of(acls, is_for_filters)) {
    results.assign(acls.size(), {ErrorCode::unknown_server_error, std::nullopt});
    return answer(context, results);
  }
  std::set<Acl> made;
  for (const Acl& acl : acls) {
    std::optional<ApiFault> fault = check(acl);
    if (!fault && !context.image.acls().contains(acl) && made.insert(acl).second) add_record(context, acl, records);
    results.push_back(fault.value_or(ApiFault{}));
  }
  if (records.size() > max_records_per_user_operation) {
    records.truncate(0);
    for (ApiFault& result : results) {
      if (result.code == ErrorCode::none) result = too_many_records();
    }
  }
  records.set_atomic();
  return answer(context, results);
}

}  // namespace hayward::core

// See delete_acls.h.
#include "engine/core/control/delete_acls.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/core/control/acl_filter.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/image/image.h"
#include "schemas/records/remove_access_control_entry_record.h"

namespace hayward::core {
namespace {

using Request = messages::DeleteAclsRequest;
using Response = messages::DeleteAclsResponse;
using Filter = Request::DeleteAclsFilter;
using FilterResult = Response::DeleteAclsFilterResult;

void set_fault(const HandlerContext& context, const ApiFault& fault, FilterResult& result) {
  result.error_code = fault.code;
  result.error_message = text_of(fault, context.arena);
}

Response all_failed(const HandlerContext& context, const Request& request, const ApiFault& fault) {
  Response response;
  for (std::size_t i = 0; i < request.filters.size(); ++i) {
    set_fault(context, fault, response.filter_results.push_back(context.arena));
  }
  return response;
}

// Views of the image, which the answer is encoded from before the records are applied to it.
void add_match(const HandlerContext& context, const Acl& acl, FilterResult& result) {
  auto& match = result.matching_acls.push_back(context.arena);
  match.error_message = std::nullopt;
  match.resource_type = acl.resource_type;
  match.resource_name = acl.resource_name;
  match.pattern_type = acl.pattern_type;
  match.principal = acl.principal;
  match.host = acl.host;
  match.operation = acl.operation;
  match.permission_type = acl.permission_type;
}

}  // namespace

bool is_readable(const Request& request) {
  return std::ranges::none_of(request.filters, [](const Filter& f) { return filter_of(f).has_zero_code(); });
}

Response delete_acls(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  std::set<Uuid> removed;
  for (const Filter& wanted : request.filters) {
    auto& result = response.filter_results.push_back(context.arena);
    result.error_message = std::nullopt;
    const AclFilter filter = filter_of(wanted);
    if (filter.has_unknown_code()) {
      set_fault(context, {ErrorCode::invalid_request, "The filter holds an unknown code"}, result);
      continue;
    }
    bool too_many = false;
    for_each_match(context.image.acls(), filter, [&](const Uuid& id, const Acl& acl) {
      too_many = removed.size() >= max_records_per_user_operation;
      if (too_many) return false;
      add_match(context, acl, result);
      removed.insert(id);
      return true;
    });
    if (too_many) {
      return all_failed(context, request,
                        {ErrorCode::invalid_request, "The filters match more than " +
                                                         std::to_string(max_records_per_user_operation) +
                                                         " ACLs, the most that one request may remove"});
    }
  }
  for (const Uuid& id : removed) {
    records::RemoveAccessControlEntryRecord record;
    record.id = id;
    records.add(record);
  }
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

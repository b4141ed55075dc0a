// See controller_registration.h.
#include "engine/core/control/controller_registration.h"

#include <algorithm>

#include "engine/core/control/registration_checks.h"
#include "engine/core/records.h"
#include "schemas/records/register_controller_record.h"

namespace hayward::core {
namespace {

using messages::ControllerRegistrationRequest;
using messages::ControllerRegistrationResponse;

ControllerRegistrationResponse refuse(ErrorCode error, std::string_view message) {
  ControllerRegistrationResponse response;
  response.error_code = error;
  response.error_message = message;
  return response;
}

bool listeners_known(const ControllerRegistrationRequest& request) {
  return std::ranges::all_of(
      request.listeners, [](const auto& listener) { return is_known_security_protocol(listener.security_protocol); });
}

records::RegisterControllerRecord make_record(Arena& arena, const ControllerRegistrationRequest& request) {
  records::RegisterControllerRecord record;
  record.controller_id = request.controller_id;
  record.incarnation_id = request.incarnation_id;
  copy_listeners(arena, request.listeners, record.end_points);
  copy_features(arena, request.features, record.features);
  return record;
}

}  // namespace

ControllerRegistrationResponse controller_registration(const HandlerContext& context,
                                                       const ControllerRegistrationRequest& request,
                                                       RecordList& records) {
  if (!records.metadata_version().controller_registration()) {
    return refuse(ErrorCode::unsupported_version, "The version of API is not supported.");
  }
  if (request.controller_id < NodeId{0} || !listeners_known(request)) {
    return refuse(ErrorCode::invalid_request, "A negative controller id or an unknown security protocol.");
  }
  records.set_atomic();
  records.add(make_record(context.arena, request));
  ControllerRegistrationResponse response;
  response.error_message = "";
  return response;
}

}  // namespace hayward::core

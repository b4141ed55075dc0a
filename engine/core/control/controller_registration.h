// ControllerRegistration (70): a controller of the quorum tells its endpoints and features; the active
// controller registers itself by the same record at activation.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"

namespace hayward::core {

// Replaces what was stored for that id. Errors: unsupported_version (metadata.version below 3.7-IV0),
// invalid_request (negative id, unknown security protocol: the Java controller fails over on it).
messages::ControllerRegistrationResponse controller_registration(const HandlerContext& context,
                                                                 const messages::ControllerRegistrationRequest& request,
                                                                 RecordList& records);

}  // namespace hayward::core

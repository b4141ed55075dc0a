// The active controller's own registration: the same record that ControllerRegistration (70) writes.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/controller_registration_request.h"

namespace hayward::core {

// This process, as it registers.
messages::ControllerRegistrationRequest registration_of_self(const NodeConfig& config, Arena& arena);

// Registers this process, unless it is registered or metadata.version has no such records.
void register_self(const HandlerContext& context, RecordList& records);

}  // namespace hayward::core

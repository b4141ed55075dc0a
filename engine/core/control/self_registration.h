// The active controller's own registration: the same record that ControllerRegistration (70) writes.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"

namespace hayward::core {

// Registers this process, unless it is registered or metadata.version has no such records.
void register_self(const HandlerContext& context, RecordList& records);

}  // namespace hayward::core

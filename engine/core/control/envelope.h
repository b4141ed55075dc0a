// Envelope (58): a broker hands on its client's request, with the client's principal and address.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/core/control/handler_call.h"

namespace hayward::core {

// Errors: principal_deserialization_failure, invalid_request (the client's address, or an API that is not for
// forwarding), unsupported_version (the inner request cannot be read or is not served), not_controller (the
// inner answer says so). The inner answer's own errors stay inside.
Outcome envelope(HandlerCall& call);

}  // namespace hayward::core

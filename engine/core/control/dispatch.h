// A request's way from its bytes to its answer, and when that may go out.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// Answers `request`, parks its answer, or ends its connection (a body that cannot be read, an API that is
// not served).
void handle_request(NodeState& node, const Request& request, const Time& now, Effects& out);

}  // namespace hayward::core

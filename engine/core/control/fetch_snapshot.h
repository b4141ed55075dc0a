// FetchSnapshot (59): the wire's side of raft/fetch_snapshot.h.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/core/authorizer/access_rules.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/node_state.h"

namespace hayward::core {

void fetch_snapshot(NodeState& node, const Request& request, Decision access, const Time& now, Effects& out);

}  // namespace hayward::core

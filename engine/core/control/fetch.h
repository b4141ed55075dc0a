// Fetch (1): the wire's side of raft/fetch.h: reading the request, waiting, and the answer.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <vector>

#include "engine/core/authorizer/access_rules.h"
#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/node_state.h"

namespace hayward::core {

void fetch(NodeState& node, const Request& request, Decision access, const Time& now, Effects& out);

// Voters that wait and do not have all of the log: it has grown.
void answer_voters_fetches(NodeState& node, Effects& out);

// What observers have told by fetches that were answered on their shards.
void note_observers(NodeState& node, const ObserverContacts& contacts);

// Those that need not or may not wait any longer, with what there is for them now.
void answer_fetches(NodeState& node, const std::vector<FetchCall>& calls, Effects& out);

}  // namespace hayward::core

// HaywardStatus (30000): our own API, for `hayward status`: the quorum, the brokers and their leases, offsets.
// Owner: engine/core/control. Shard 0; served in every state.
#pragma once

#include "engine/base/time.h"
#include "engine/core/node_state.h"
#include "schemas/messages/hayward_status_request.h"
#include "schemas/messages/hayward_status_response.h"

namespace hayward::core {

// Tells of the log's end, committed or not: it is for people, who see both offsets.
messages::HaywardStatusResponse status(NodeState& node, const Time& now);

}  // namespace hayward::core

// UnregisterBroker (64): takes a broker's registration out of the cluster, living or not.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"

namespace hayward::core {

// Partition changes as for a fence, then the UnregisterBrokerRecord; after success the node calls
// BrokerStates::forget. Errors: broker_id_not_registered, policy_violation (too many records; none written).
messages::UnregisterBrokerResponse unregister_broker(const HandlerContext& context,
                                                     const messages::UnregisterBrokerRequest& request,
                                                     RecordList& records);

}  // namespace hayward::core

// UnregisterBroker (64): takes a broker's registration out of the cluster, living or not.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <optional>

#include "engine/core/control/context.h"
#include "engine/core/types.h"
#include "schemas/messages/unregister_broker_request.h"
#include "schemas/messages/unregister_broker_response.h"

namespace hayward::core {

struct UnregisterBrokerOutcome {
  messages::UnregisterBrokerResponse response;
  // Set: its partitions are too many for one event. It leaves them in slices, and the answer waits for the last one.
  std::optional<BrokerIncarnation> in_slices;
};

// Partition changes as for a fence, then the UnregisterBrokerRecord; after success at once the node calls
// BrokerStates::forget. Error: broker_id_not_registered.
UnregisterBrokerOutcome unregister_broker(const HandlerContext& context,
                                          const messages::UnregisterBrokerRequest& request, RecordList& records);

}  // namespace hayward::core

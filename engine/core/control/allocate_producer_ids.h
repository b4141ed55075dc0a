// AllocateProducerIds (67): the next block of 1000 producer ids.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/allocate_producer_ids_request.h"
#include "schemas/messages/allocate_producer_ids_response.h"

namespace hayward::core {

// Errors: stale_broker_epoch, unknown_server_error (all 2^63 ids are given out).
messages::AllocateProducerIdsResponse allocate_producer_ids(const HandlerContext& context,
                                                            const messages::AllocateProducerIdsRequest& request,
                                                            RecordList& records);

}  // namespace hayward::core

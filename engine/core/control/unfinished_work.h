// What an earlier leader may have left undone, seen from the image alone.
// Owner: engine/core/control. Shard 0, active controller, once at activation.
#pragma once

#include "engine/core/control/broker_work.h"
#include "engine/core/control/context.h"

namespace hayward::core {

// Fenced brokers that are still in ISRs leave them, leaderless partitions with a replica that may lead get it,
// reassignments whose end has been reached are finished. Where nothing was left undone, no record is added.
// What of it is too much for one event is added to `work`.
void unfinished_work(const HandlerContext& context, BrokerWork& work, RecordList& records);

}  // namespace hayward::core

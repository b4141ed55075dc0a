// What follows when leases run out: the brokers leave every ISR and leadership, and are fenced.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <span>

#include "engine/core/control/context.h"
#include "engine/core/types.h"

namespace hayward::core {

// One step over the union: no partition change of it elects another of `brokers`. Partition changes first,
// the fence records last, ascending by id. Brokers that are gone or have another epoch are passed over.
// Returns how many are fenced by it.
std::size_t fence_brokers(const HandlerContext& context, std::span<const BrokerIncarnation> brokers,
                          RecordList& records);

}  // namespace hayward::core

// The check that every request of a broker about itself begins with.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/core/image/cluster.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Whether `id` is registered with that very epoch; STALE_BROKER_EPOCH otherwise.
inline bool is_current_broker(const Cluster& cluster, NodeId id, BrokerEpoch epoch) {
  const BrokerRegistration* broker = cluster.broker(id);
  return broker != nullptr && broker->epoch == epoch;
}

}  // namespace hayward::core

// How heartbeats and the controller's orders reach a LeaseTable: what a host does for its shard, written
// once for the real one and the simulated one.
// Owner: the shard that owns the table. Any shard; today shard 0.
#pragma once

#include <optional>

#include "engine/core/authorizer/cluster_access.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/lease/lease_table.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

inline constexpr std::int16_t broker_heartbeat_api_key = 63;

// The fixed-width head of a BrokerHeartbeat request, the same in every version.
struct HeartbeatHead {
  BrokerIncarnation broker;
  Offset metadata_offset;
};

// nullopt: the body is too short to be a heartbeat; the handler will refuse it.
std::optional<HeartbeatHead> read_heartbeat_head(Bytes body);

// Touch first: renews the sender's lease if `request` is a heartbeat of one who may send it. Call it as soon as
// the frame is reaped, before the request is queued or stepped. `log_end` as in LeaseTable::touch.
void touch_lease(LeaseTable& leases, ClusterAccess& access, const Request& request, Offset log_end);

// Carries out `effect` if it is a lease order, or says whose heartbeats count; false if it is something else.
bool apply_lease_order(LeaseTable& leases, ClusterAccess& access, const Effect& effect);

}  // namespace hayward::core

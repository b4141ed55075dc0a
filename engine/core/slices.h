// Long work about brokers between other events: each slice is an event of its own, a tick that is asked for at
// once, so that whatever has come in meanwhile is handled before the next one. The core has no clock: a slice is
// bounded by NodeConfig::partitions_per_slice partitions, about 1 ms.
// Owner: the node. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/node_state.h"

namespace hayward::core {

// These leases have run out: fences their brokers, at once if they have few partitions.
void fence_expired(NodeState& node, const LeasesExpired& expired, const Time& now, Effects& out);

// One slice, if it is due.
void run_slice(NodeState& node, const Time& now, Effects& out);

// After each event: asks for the next slice, unless the log is 40 slices behind.
void arm_slice(NodeState& node, const Time& now);

}  // namespace hayward::core

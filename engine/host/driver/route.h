// Which shard a request's connection belongs to.
// Owner: engine/host/driver; a pure function. Any shard.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/event.h"

namespace hayward::driver {

// A broker's connection, told by its registration or heartbeat, belongs to the shard of its lease. nullopt: it may stay
// on `here`.
std::optional<std::uint16_t> owner_of(const core::Request& request, std::uint16_t here, std::uint16_t shards);

}  // namespace hayward::driver

// Which shard a broker's lease lives on. With more than one shard the first is the controller's alone: nothing that it
// does keeps a steady heartbeat waiting.
// Owner: engine/core/lease; a pure function. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/ids.h"

namespace hayward::core {

// 0 <= result < shards; the same for one id as long as the process lives (L6).
constexpr std::uint16_t owner_shard(NodeId broker, std::uint16_t shards) {
  if (shards <= 1) return 0;
  return static_cast<std::uint16_t>(1 + static_cast<std::uint32_t>(broker.value) % (shards - 1u));
}

}  // namespace hayward::core

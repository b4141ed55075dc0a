// What every shard's loop is told at its start.
// Owner: tools/server, which reads it from server.properties. Any shard.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/core/effect.h"

namespace hayward::driver {

struct Settings {
  std::int64_t session_timeout_ms = 9000;  // broker.session.timeout.ms
  std::int64_t fetch_timeout_ms = 2000;    // controller.quorum.fetch.timeout.ms
  std::uint16_t shards = 1;                // hayward.shards
};

// Called on any shard's thread.
using LogLine = std::function<void(core::LogLine::Level level, const std::string& text)>;

}  // namespace hayward::driver

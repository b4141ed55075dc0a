// Reads back what recovery found, for the node to load.
// Owner: Log. Start-up.
#pragma once

#include <expected>
#include <functional>
#include <string>

#include "engine/core/start.h"
#include "log/context.h"
#include "log/segments.h"

namespace hayward::log {

// As Log::replay.
Step<std::expected<void, std::string>> replay(Context& context, const Segments& segments, const core::LogState& state,
                                              std::function<std::expected<void, std::string>(Bytes)> load_snapshot,
                                              std::function<std::expected<void, std::string>(Bytes)> load_log);

}  // namespace hayward::log

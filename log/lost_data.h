// What `run --accept-data-loss` gave up: the end of what this node had flushed, and may have told others of. Kept beside the log,
// in a line of text, until the log reaches there again; Kafka ignores the file. While it stands, one of several voters neither
// votes nor stands for election (S2): its vote could undo what the others have acknowledged on its word.
// Owner: log. Shard 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "log/error.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

std::string render_lost_data(Offset end);
Result<Offset> parse_lost_data(std::string_view text, const std::string& path);

}  // namespace hayward::log

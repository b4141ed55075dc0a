// What `hayward quorum` shows, as text and as one JSON object.
// Owner: `hayward quorum`. The main thread.
#pragma once

#include <string>
#include <vector>

#include "tools/quorum/history.h"
#include "tools/quorum/view.h"

namespace hayward::tools {

// Everything of `status`; `history` is newest first and may be empty.
std::string status_text(const QuorumView& view, const std::vector<LeaderChange>& history);
std::string status_json(const QuorumView& view, const std::vector<LeaderChange>& history);

// One line a replica: how far it is behind, in records and in time.
std::string replication_text(const QuorumView& view);
std::string replication_json(const QuorumView& view);

// "0.3 s", "4 min 10 s", "2 d 3 h".
std::string duration_text(std::int64_t ms);

}  // namespace hayward::tools

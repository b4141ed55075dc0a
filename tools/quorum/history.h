// When leadership last changed and what is known of why: read from the metadata log itself, where each leader's first record
// is a LeaderChange.
// Owner: `hayward quorum`. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "tools/client/client.h"
#include "tools/quorum/view.h"

namespace hayward::tools {

struct LeaderChange {
  Epoch epoch;
  NodeId leader;
  std::int64_t offset = 0;
  std::int64_t time_ms = 0;              // by that leader's clock
  std::optional<std::int64_t> quiet_ms;  // since the last record of the epoch before; nullopt: not known
  std::vector<NodeId> elected_by;
  std::vector<NodeId> voters;
};

// The newest `count` changes, newest first, asked of the leader that `view` came from. Fewer where the log begins later. The
// error says what was found instead.
std::expected<std::vector<LeaderChange>, std::string> read_history(Client& leader, const QuorumView& view, std::size_t count);

// One sentence on why the newest change of `history` came about, as far as log and view tell; empty: nothing is known.
std::string why_changed(const QuorumView& view, const std::vector<LeaderChange>& history);

}  // namespace hayward::tools

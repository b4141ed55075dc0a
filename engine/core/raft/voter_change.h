// What AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter check alike.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <string_view>

#include "engine/core/raft/raft_view.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core::raft {

struct VoterChangeCheck {
  ErrorCode error = ErrorCode::none;
  std::string_view message;
};

// Whether this leader could change the voter set at all: request_timed_out while its epoch or the last
// change is not committed, unsupported_version below kraft.version 1.
inline VoterChangeCheck check_voter_change(const RaftView& view) {
  const Offset high_watermark = view.quorum.leading()->high_watermark();
  if (high_watermark == no_offset) {
    return {ErrorCode::request_timed_out, "The leader has not committed a record of its epoch yet."};
  }
  if (view.voters.kraft_version() == 0) {
    return {ErrorCode::unsupported_version, "kraft.version is 0: the voters are those of the configuration."};
  }
  if (view.voters.last_offset() >= high_watermark) {
    return {ErrorCode::request_timed_out, "The last change of the voters is not committed yet."};
  }
  return {};
}

// Voters are reached by the listener that the leader names first.
template <class Listeners>
bool has_default_listener(const RaftView& view, const Listeners& listeners) {
  if (view.config.advertised.empty()) return false;
  for (const auto& listener : listeners) {
    if (listener.name == view.config.advertised.front().listener && !listener.host.empty()) return true;
  }
  return false;
}

}  // namespace hayward::core::raft

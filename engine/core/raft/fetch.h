// Fetch (1) by a replica: what it gets of the metadata log, and whether that is worth an answer now.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/raft/raft_view.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/types.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/runtime/error_code.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

// As far as a Fetch decides its answer, and where that goes. It may be parked.
struct FetchCall {
  // FetchRequest's default: the replica does not tell.
  static constexpr Offset untold{INT64_MAX};

  ConnectionId connection;
  std::int32_t correlation_id = 0;
  std::int16_t version = 0;
  std::string listener;
  ReplicaKey replica;
  Epoch current_leader_epoch;
  Offset fetch_offset;
  Epoch last_fetched_epoch;
  Offset known_high_watermark = untold;
  std::int32_t max_bytes = 0;
  std::int32_t max_wait_ms = 0;
};

struct FetchOutcome {
  ErrorCode error = ErrorCode::none;
  FetchPosition position;
  Offset high_watermark = no_offset;
  Offset from;  // records from here ...
  Offset to;    // ... up to here; none if equal

  bool has_records() const { return from < to; }
};

// none, inconsistent_cluster_id or invalid_request: for the whole request. Fills in `call` from it, but for
// connection, correlation_id, version and listener. Whatever cannot come from a replica is refused here,
// for the whole: INVALID_REQUEST for the partition would end a Java peer (P1).
ErrorCode read_fetch(const RaftView& view, const messages::FetchRequest& request, FetchCall& call);

FetchOutcome fetch(const RaftView& view, const FetchCall& call);

// Nothing to tell that the replica would not know: the answer may wait.
bool may_wait(const FetchOutcome& outcome, const FetchCall& call);

}  // namespace hayward::core::raft

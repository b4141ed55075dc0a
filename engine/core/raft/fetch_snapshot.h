// FetchSnapshot (59): a piece of a checkpoint file.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <cstdint>

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/fetch_snapshot_response.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

struct SnapshotPiece {
  messages::FetchSnapshotResponse response;  // but for the bytes
  SnapshotId id{};
  std::int64_t position = 0;
  std::int32_t length = 0;  // 0: an error, or none asked for
};

// The errors are those that Kafka means (a Java leader's all come out as UNKNOWN_SERVER_ERROR).
SnapshotPiece fetch_snapshot(const RaftView& view, const RaftCall& call, const messages::FetchSnapshotRequest& request);

}  // namespace hayward::core::raft

// See fetch_snapshot.h.
#include "engine/core/raft/fetch_snapshot.h"

#include <algorithm>

namespace hayward::core::raft {
namespace {

using messages::FetchSnapshotRequest;
using messages::FetchSnapshotResponse;

// An answer about one partition; filled in further by the caller.
FetchSnapshotResponse::PartitionSnapshot partition_answer(PartitionIndex index, ErrorCode error) {
  FetchSnapshotResponse::PartitionSnapshot partition;
  partition.index = index;
  partition.error_code = error;
  partition.unaligned_records = Bytes{};  // never null: a Java leader's errors fail on that
  return partition;
}

ErrorCode check(const RaftView& view, const FetchSnapshotRequest::PartitionSnapshot& p, const SnapshotInfo* snapshot) {
  const ErrorCode not_leader = check_leader_request(view, p.current_leader_epoch);
  if (not_leader != ErrorCode::none) return not_leader;
  if (snapshot == nullptr) return ErrorCode::snapshot_not_found;
  return p.position < 0 || p.position >= snapshot->size ? ErrorCode::position_out_of_range : ErrorCode::none;
}

}  // namespace

SnapshotPiece fetch_snapshot(const RaftView& view, const RaftCall& call, const FetchSnapshotRequest& request) {
  SnapshotPiece piece;
  const bool ours = cluster_matches(view, request.cluster_id);
  if (!ours || request.topics.size() != 1 || request.topics[0].partitions.size() != 1 || request.max_bytes < 0) {
    piece.response.error_code = ours ? ErrorCode::invalid_request : ErrorCode::inconsistent_cluster_id;
    return piece;
  }
  const FetchSnapshotRequest::PartitionSnapshot& p = request.topics[0].partitions[0];
  const SnapshotId id{p.snapshot_id.end_offset, p.snapshot_id.epoch};
  const bool known = request.topics[0].name == metadata_topic && p.partition == metadata_partition;
  const SnapshotInfo* snapshot = known && id != bootstrap_snapshot ? view.log.find_snapshot(id) : nullptr;
  const ErrorCode error = known ? check(view, p, snapshot) : ErrorCode::unknown_topic_or_partition;

  auto partition = partition_answer(p.partition, error);
  if (known) {
    partition.current_leader = {view.quorum.leader(), view.quorum.epoch()};
    // Who has our id is not told that it leads (P4).
    if (request.replica_id == view.quorum.self().id || request.replica_id == view.quorum.leader()) {
      partition.current_leader.leader_id = no_node;
    }
  }
  if (error == ErrorCode::none) {
    piece.id = id;
    piece.position = p.position;
    const std::int64_t most = std::min(request.max_bytes, view.config.max_batch_bytes);
    piece.length = static_cast<std::int32_t>(std::min(most, snapshot->size - p.position));
    partition.snapshot_id = {id.end, id.epoch};
    partition.size = snapshot->size;
    partition.position = p.position;
  }
  FetchSnapshotResponse::TopicSnapshot topic;
  topic.name = request.topics[0].name;
  topic.partitions.push_back(call.arena, partition);
  piece.response.topics.push_back(call.arena, topic);
  auto& answered = piece.response.topics[0].partitions[0].current_leader;
  if (known && answered.leader_id != no_node && !add_leader_endpoint(view, call, piece.response)) {
    answered.leader_id = no_node;  // P5
  }
  return piece;
}

}  // namespace hayward::core::raft

// See fetch.h.
#include "engine/core/raft/fetch.h"

#include <algorithm>

namespace hayward::core::raft {
namespace {

using messages::FetchRequest;

// The replica may have whatever a voter's log may hold, or what is committed: an observer has no use for
// more, and would have to cut it off again if it never is (and one answer tells it of both).
Offset readable_end(const RaftView& view, const ReplicaKey& replica, Offset high_watermark) {
  return view.voters.last().has(replica) ? view.log.end() : high_watermark;
}

}  // namespace

ErrorCode read_fetch(const RaftView& view, const FetchRequest& request, FetchCall& call) {
  if (!cluster_matches(view, request.cluster_id)) return ErrorCode::inconsistent_cluster_id;
  if (request.topics.size() != 1 || request.topics[0].topic_id != metadata_topic_id ||
      request.topics[0].partitions.size() != 1 || request.topics[0].partitions[0].partition != metadata_partition) {
    return ErrorCode::invalid_request;
  }
  const FetchRequest::FetchPartition& p = request.topics[0].partitions[0];
  if (request.max_wait_ms < 0 || request.max_bytes < 0 || p.fetch_offset < Offset{0} ||
      p.last_fetched_epoch < Epoch{0} || p.last_fetched_epoch > p.current_leader_epoch) {
    return ErrorCode::invalid_request;
  }
  constexpr std::int16_t first_with_replica_state = 15;
  const NodeId replica =
      call.version >= first_with_replica_state ? request.replica_state.replica_id : request.replica_id;
  call.replica = {replica, p.replica_directory_id};
  call.current_leader_epoch = p.current_leader_epoch;
  call.fetch_offset = p.fetch_offset;
  call.last_fetched_epoch = p.last_fetched_epoch;
  call.known_high_watermark = p.high_watermark;
  call.max_bytes = std::min(request.max_bytes, view.config.max_batch_bytes);
  call.max_wait_ms = request.max_wait_ms;
  return ErrorCode::none;
}

FetchOutcome fetch(const RaftView& view, const FetchCall& call) {
  FetchOutcome outcome;
  // Somebody else with our id.
  if (call.replica.id == view.quorum.self().id) {
    outcome.error = ErrorCode::unknown_server_error;
    return outcome;
  }
  outcome.error = check_leader_request(view, call.current_leader_epoch);
  if (outcome.error != ErrorCode::none) return outcome;

  outcome.high_watermark = view.quorum.leading()->high_watermark();
  if (const SnapshotInfo* latest = view.log.latest_snapshot(); latest != nullptr && call.fetch_offset == Offset{0}) {
    outcome.position.kind = FetchPosition::Kind::snapshot;
    outcome.position.snapshot = latest->id;
  } else {
    outcome.position = view.log.check(call.fetch_offset, call.last_fetched_epoch);
  }
  if (outcome.position.kind == FetchPosition::Kind::valid) {
    outcome.from = call.fetch_offset;
    outcome.to = std::max(call.fetch_offset, readable_end(view, call.replica, outcome.high_watermark));
  }
  return outcome;
}

bool may_wait(const FetchOutcome& outcome, const FetchCall& call) {
  return outcome.error == ErrorCode::none && outcome.position.kind == FetchPosition::Kind::valid &&
         !outcome.has_records() && call.max_wait_ms > 0 && call.known_high_watermark >= outcome.high_watermark;
}

}  // namespace hayward::core::raft

// The answer that Vote, BeginQuorumEpoch and EndQuorumEpoch share in form. Nobody is told anything that a Java peer would
// end itself over.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core::raft {

// The whole request is refused; no topics.
template <class Response>
Response refuse_all(ErrorCode error) {
  Response response;
  response.error_code = error;
  return response;
}

// An answer for the one partition, with the epoch, and with the leader if `name_leader` and the answer's
// version can carry its address: a peer that cannot find a leader it is told of ends itself (P5).
template <class Response>
Response answer_partition(const RaftView& view, const RaftCall& call, ErrorCode error, bool name_leader) {
  Response response;
  typename Response::PartitionData partition;
  partition.partition_index = metadata_partition;
  partition.error_code = error;
  partition.leader_epoch = view.quorum.epoch();
  partition.leader_id = no_node;
  constexpr std::int16_t first_with_endpoints = 1;
  if (name_leader && call.version >= first_with_endpoints && add_leader_endpoint(view, call, response)) {
    partition.leader_id = view.quorum.leader();
  }
  add_metadata_partition(response, partition, call.arena);
  return response;
}

// Who claims our epoch is not told that another leads it (P3), nor who has our id that it leads (P4).
inline bool may_name_leader(const RaftView& view, NodeId claimed, ErrorCode error) {
  return error != ErrorCode::invalid_voter_key && (error == ErrorCode::none || claimed != view.quorum.self().id);
}

}  // namespace hayward::core::raft

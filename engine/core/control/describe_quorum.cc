// See describe_quorum.h.
#include "engine/core/control/describe_quorum.h"

namespace hayward::core {
namespace {

using messages::DescribeQuorumRequest;
using messages::DescribeQuorumResponse;
using Partition = DescribeQuorumResponse::PartitionData;

Partition error_answer(PartitionIndex index, ErrorCode error, std::string_view message) {
  Partition partition;
  partition.partition_index = index;
  partition.error_code = error;
  partition.error_message = message;
  return partition;
}

// Every partition that was asked for, in error.
DescribeQuorumResponse refuse(const DescribeQuorumRequest& request, Arena& arena) {
  DescribeQuorumResponse response;
  for (const auto& asked : request.topics) {
    DescribeQuorumResponse::TopicData topic;
    topic.topic_name = asked.topic_name;
    for (const auto& partition : asked.partitions) {
      topic.partitions.push_back(arena, error_answer(partition.partition_index, ErrorCode::unknown_topic_or_partition,
                                                     "Only the metadata partition has a quorum."));
    }
    response.topics.push_back(arena, topic);
  }
  return response;
}

DescribeQuorumResponse::ReplicaState replica_state(const raft::ReplicaKey& key, const raft::ReplicaProgress& progress) {
  DescribeQuorumResponse::ReplicaState state;
  state.replica_id = key.id;
  state.replica_directory_id = key.directory;
  state.log_end_offset = progress.end;
  state.last_fetch_timestamp = progress.last_fetch_wall_ms;
  state.last_caught_up_timestamp = progress.last_caught_up_wall_ms;
  return state;
}

// The leader's own progress is that of now.
raft::ReplicaProgress progress_of(const raft::RaftView& view, const Voter& voter, const Time& now) {
  raft::ReplicaProgress progress;
  if (voter.id != view.quorum.self().id) {
    const raft::VoterProgress* known = view.quorum.leading()->voter(voter.id);
    if (known != nullptr) progress = *known;
    return progress;
  }
  progress.end = view.log.end();
  progress.last_fetch_wall_ms = now.wall_ms;
  progress.last_caught_up_wall_ms = now.wall_ms;
  return progress;
}

void add_node(const Voter& voter, Arena& arena, DescribeQuorumResponse& response) {
  DescribeQuorumResponse::Node node;
  node.node_id = voter.id;
  for (const Endpoint& endpoint : voter.endpoints) {
    DescribeQuorumResponse::Listener listener;
    listener.name = endpoint.listener;
    listener.host = endpoint.host;
    listener.port = endpoint.port;
    node.listeners.push_back(arena, listener);
  }
  response.nodes.push_back(arena, node);
}

}  // namespace

DescribeQuorumResponse describe_quorum(const raft::RaftView& view, const raft::RaftCall& call,
                                       const DescribeQuorumRequest& request, const Time& now) {
  if (raft::only_metadata_partition(request) == nullptr) return refuse(request, call.arena);
  DescribeQuorumResponse response;
  Partition partition;
  if (const raft::Leader* leader = view.quorum.leading(); leader == nullptr) {
    partition = error_answer(raft::metadata_partition, ErrorCode::not_leader_or_follower,
                             "This node does not lead the quorum.");
  } else {
    partition.partition_index = raft::metadata_partition;
    partition.leader_id = view.quorum.leader();
    partition.leader_epoch = view.quorum.epoch();
    partition.high_watermark = leader->high_watermark();
    for (const Voter& voter : view.voters.last().all()) {
      partition.current_voters.push_back(call.arena,
                                         replica_state({voter.id, voter.directory}, progress_of(view, voter, now)));
      add_node(voter, call.arena, response);
    }
    for (const auto& [key, progress] : leader->observers(now.mono)) {
      partition.observers.push_back(call.arena, replica_state(key, progress));
    }
  }
  DescribeQuorumResponse::TopicData topic;
  topic.topic_name = raft::metadata_topic;
  topic.partitions.push_back(call.arena, partition);
  response.topics.push_back(call.arena, topic);
  return response;
}

}  // namespace hayward::core

// What a raft RPC's handler sees, and what it needs of the request beside its body.
// Owner: the node. Shard 0.
#pragma once

#include <optional>
#include <string_view>

#include "engine/core/raft/log_view.h"
#include "engine/core/raft/quorum.h"
#include "engine/core/raft/voters.h"
#include "engine/core/start.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/error_code.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

inline constexpr std::string_view metadata_topic = "__cluster_metadata";
inline constexpr PartitionIndex metadata_partition{0};

struct RaftView {
  const NodeConfig& config;
  const Quorum& quorum;
  const LogView& log;
  const VoterHistory& voters;
  bool stopping = false;  // a stop is under way
};

struct RaftCall {
  std::int16_t version = 0;
  std::string_view listener;  // that the request came in by
  Arena& arena;
};

// A request without a cluster id is taken as meant for us.
inline bool cluster_matches(const RaftView& view, std::optional<std::string_view> cluster_id) {
  return !cluster_id || *cluster_id == view.config.cluster_id;
}

// This node's address on `listener`; nullptr: it has no such listener.
const Endpoint* own_endpoint(const RaftView& view, std::string_view listener);
// The leader's, be it this node or another; nullptr: none is known, or none on that listener.
const Endpoint* leader_endpoint(const RaftView& view, std::string_view listener);

// For a request that only the leader of `epoch` can answer: none, or fenced_leader_epoch,
// unknown_leader_epoch, not_leader_or_follower, broker_not_available (stopping).
ErrorCode check_leader_request(const RaftView& view, Epoch epoch);

// The one partition of a request that must name the metadata partition and nothing else; nullptr otherwise.
template <class Request>
const auto* only_metadata_partition(const Request& request) {
  const auto* partition =
      request.topics.empty() || request.topics[0].partitions.empty() ? nullptr : &request.topics[0].partitions[0];
  if (request.topics.size() != 1 || partition == nullptr || request.topics[0].partitions.size() != 1 ||
      request.topics[0].topic_name != metadata_topic || partition->partition_index != metadata_partition) {
    partition = nullptr;
  }
  return partition;
}

// The reverse: makes `partition` the one that the message is about.
template <class Message>
void add_metadata_partition(Message& message, const typename Message::PartitionData& partition, Arena& arena) {
  typename Message::TopicData topic;
  topic.topic_name = metadata_topic;
  topic.partitions.push_back(arena, partition);
  message.topics.push_back(arena, topic);
}

// Puts the leader's address into an answer that names it. False: no leader is known, or it cannot be reached
// by the caller's listener.
template <class Response>
bool add_leader_endpoint(const RaftView& view, const RaftCall& call, Response& response) {
  const Endpoint* endpoint = leader_endpoint(view, call.listener);
  if (endpoint == nullptr) return false;
  typename Response::NodeEndpoint node;
  node.node_id = view.quorum.leader();
  node.host = endpoint->host;
  node.port = endpoint->port;
  response.node_endpoints.push_back(call.arena, node);
  return true;
}

}  // namespace hayward::core::raft

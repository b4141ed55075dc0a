// Reading what peers answer to raft's requests. All of it is somebody else's word: what cannot be read is a failed
// request, what contradicts is left alone.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/raft/turn.h"
#include "schemas/runtime/reader.h"

namespace hayward::core::raft {

// nullopt: it cannot be read.
template <class Response>
std::optional<Response> read_answer(Turn& turn, const PeerReply& reply) {
  Response response;
  Reader reader(reply.body);
  if (!decode(reader, reply.api_version, turn.arena, response)) return std::nullopt;
  return response;
}

// Where the answer says that `node` is; empty: it does not.
template <class Response>
std::vector<Endpoint> endpoints_of(const Turn& turn, const Response& response, NodeId node) {
  std::vector<Endpoint> endpoints;
  for (const auto& each : response.node_endpoints) {
    if (each.node_id != node || each.host.empty() || each.port <= 0 || each.port > 65535) continue;
    endpoints.push_back({turn.config.advertised.empty() ? "" : turn.config.advertised.front().listener,
                         std::string(each.host), static_cast<std::uint16_t>(each.port), 0});
  }
  return endpoints;
}

// The one partition of an answer; nullptr: it has not exactly one.
template <class Topics>
auto* only_partition(Topics& topics) {
  using Pointer = decltype(&topics[0].partitions[0]);
  if (topics.size() != 1 || topics[0].partitions.size() != 1) return Pointer{nullptr};
  return &topics[0].partitions[0];
}

// Learns what an answer to Vote, BeginQuorumEpoch or EndQuorumEpoch says of epoch and leader.
template <class Response, class Partition>
bool learn_from(Turn& turn, const Response& response, const Partition& partition) {
  return learn(turn, partition.leader_epoch, partition.leader_id,
               endpoints_of(turn, response, partition.leader_id));
}

// For the operator: an answer that was of no use, or names another leader. `partition`: nullptr where it has none.
template <class Response, class Partition>
std::string what_it_said(const std::optional<Response>& response, const Partition* partition) {
  if (!response) return "gives an answer that cannot be read";
  if (response->error_code == ErrorCode::inconsistent_cluster_id) return "is of another cluster (INCONSISTENT_CLUSTER_ID)";
  if (partition == nullptr || response->error_code != ErrorCode::none) return "says " + std::string(name(response->error_code));
  return "says " + std::string(name(partition->error_code));
}

}  // namespace hayward::core::raft

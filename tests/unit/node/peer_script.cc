// See peer_script.h.
#include "peer_script.h"

#include "engine/core/raft/raft_view.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/update_raft_voter_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"
#include "schemas/records/frame.h"
#include "schemas/records/no_op_record.h"

namespace hayward::core {
namespace {

using namespace messages;

std::int32_t int_of(const Words& words, const std::string& key, std::int64_t otherwise) {
  return static_cast<std::int32_t>(number_of(words, key, otherwise));
}

// What a leader says of itself, to whoever hears it.
template <class Request>
typename Request::PartitionData claim(const Words& words) {
  typename Request::PartitionData partition;
  partition.leader_id = NodeId{int_of(words, "from", 2)};
  partition.leader_epoch = Epoch{int_of(words, "epoch", 1)};
  return partition;
}

void ask_vote(Machine& machine, std::uint32_t conn, const Words& words, Arena& arena) {
  VoteRequest request;
  const auto cluster = words.find("cluster");
  if (cluster != words.end()) request.cluster_id = cluster->second;
  request.voter_id = NodeId{int_of(words, "voter", -1)};
  VoteRequest::PartitionData partition;
  partition.replica_id = NodeId{int_of(words, "from", 77)};
  partition.replica_epoch = Epoch{int_of(words, "epoch", 1)};
  partition.last_offset = Offset{number_of(words, "offset", 0)};
  partition.last_offset_epoch = Epoch{int_of(words, "last-epoch", 0)};
  partition.pre_vote = words.contains("pre");
  raft::add_metadata_partition(request, partition, arena);
  machine.ask(conn, request);
}

void ask_begin(Machine& machine, std::uint32_t conn, const Words& words, Arena& arena) {
  BeginQuorumEpochRequest request;
  const auto partition = claim<BeginQuorumEpochRequest>(words);
  raft::add_metadata_partition(request, partition, arena);
  if (!words.contains("unknown-place")) request.leader_endpoints.push_back(arena, {"CONTROLLER", "host-x", 9093});
  machine.ask(conn, request);
}

void ask_end(Machine& machine, std::uint32_t conn, const Words& words, Arena& arena) {
  EndQuorumEpochRequest request;
  auto partition = claim<EndQuorumEpochRequest>(words);
  const NodeId self = machine.config.node_id;
  const std::int32_t others = 3;
  if (words.contains("second")) partition.preferred_candidates.push_back(arena, {NodeId{others}, {}});
  if (words.contains("first") || words.contains("second")) partition.preferred_candidates.push_back(arena, {self, {}});
  if (words.contains("first")) partition.preferred_candidates.push_back(arena, {NodeId{others}, {}});
  raft::add_metadata_partition(request, partition, arena);
  machine.ask(conn, request);
}

void answer_vote(Machine& machine, NodeId peer, bool granted, const Words& words, Arena& arena) {
  VoteResponse response;
  VoteResponse::PartitionData partition;
  partition.vote_granted = granted;
  partition.leader_id = NodeId{int_of(words, "leader", -1)};
  partition.leader_epoch = Epoch{int_of(words, "epoch", machine.node().view().epoch.value)};
  raft::add_metadata_partition(response, partition, arena);
  machine.peer_answers(peer, response);
}

Buffer no_ops(Offset base, Epoch epoch, std::int64_t count) {
  BatchBuilder batch(base, epoch, 1000);
  for (std::int64_t i = 0; i < count; ++i) {
    Buffer frame;
    records::append_frame(frame, records::NoOpRecord{}, 0);
    batch.add(std::nullopt, frame);
  }
  return batch.finish();
}

void answer_fetch(Machine& machine, NodeId peer, const std::string& name, const Words& words, Arena& arena) {
  const Epoch epoch = machine.node().view().epoch;
  FetchResponse response;
  FetchResponse::PartitionData partition;
  partition.current_leader = {peer, Epoch{int_of(words, "epoch", epoch.value)}};
  partition.high_watermark = Offset{number_of(words, "high-watermark", -1)};
  Buffer records;
  if (const std::int64_t count = number_of(words, "records", 0); count > 0) {
    records = no_ops(machine.disk.end(), Epoch{int_of(words, "of-epoch", epoch.value)}, count);
  }
  if (name == "diverged") {
    partition.current_leader.leader_epoch = epoch;
    partition.diverging_epoch = {Epoch{int_of(words, "epoch", 0)}, Offset{number_of(words, "end", 0)}};
  } else if (name == "snapshot") {
    partition.current_leader.leader_epoch = epoch;
    partition.snapshot_id = {Offset{number_of(words, "end", 0)}, Epoch{int_of(words, "epoch", 0)}};
  } else if (name == "not-leader") {
    partition.error_code = ErrorCode::not_leader_or_follower;
    partition.current_leader.leader_id = NodeId{int_of(words, "leader", -1)};
  }
  partition.records = records;
  FetchResponse::FetchableTopicResponse topic;
  topic.topic_id = metadata_topic_id;
  topic.partitions.push_back(arena, partition);
  response.responses.push_back(arena, topic);
  machine.peer_answers(peer, response);
}

}  // namespace

std::int64_t number_of(const Words& words, const std::string& key, std::int64_t otherwise) {
  const auto at = words.find(key);
  return at == words.end() ? otherwise : std::stoll(at->second);
}

bool peer_command(Machine& machine, const std::string& name, const Words& words) {
  Arena arena;
  const auto conn = static_cast<std::uint32_t>(number_of(words, "conn", 1));
  const NodeId peer{int_of(words, "peer", 2)};
  if (name == "vote") {
    ask_vote(machine, conn, words, arena);
  } else if (name == "begin") {
    ask_begin(machine, conn, words, arena);
  } else if (name == "end") {
    ask_end(machine, conn, words, arena);
  } else if (name == "granted" || name == "not-granted") {
    answer_vote(machine, peer, name == "granted", words, arena);
  } else if (name == "begun") {
    BeginQuorumEpochResponse response;
    BeginQuorumEpochResponse::PartitionData partition;
    partition.leader_id = machine.config.node_id;
    partition.leader_epoch = machine.node().view().epoch;
    raft::add_metadata_partition(response, partition, arena);
    machine.peer_answers(peer, response);
  } else if (name == "updated") {
    machine.peer_answers(peer, UpdateRaftVoterResponse{});
  } else if (name == "ended") {
    EndQuorumEpochResponse response;
    EndQuorumEpochResponse::PartitionData partition;
    raft::add_metadata_partition(response, partition, arena);
    machine.peer_answers(peer, response);
  } else if (name == "fetched" || name == "diverged" || name == "snapshot" || name == "not-leader") {
    answer_fetch(machine, peer, name, words, arena);
  } else if (name == "lost" || name == "refused") {
    machine.peer_fails(peer, static_cast<std::int16_t>(number_of(words, "api", 1)), name == "refused");
  } else {
    return false;
  }
  return true;
}

}  // namespace hayward::core

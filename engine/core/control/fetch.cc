// See fetch.h.
#include "engine/core/control/fetch.h"

#include <utility>

#include "engine/core/control/access.h"
#include "engine/core/control/answer.h"
#include "engine/core/raft/fetch.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"

namespace hayward::core {
namespace {

using messages::FetchRequest;
using messages::FetchResponse;

constexpr std::int16_t first_without_partitions_in_errors = 13;
constexpr std::int16_t first_with_node_endpoints = 17;

void refuse(const Request& request, ErrorCode error, Effects& out) {
  FetchResponse response;
  response.error_code = error;
  out.push_back(Reply{request.connection, encode_answer(request.correlation_id, request.api_version, response)});
}

// At the top, and for versions that may not know a top also at each partition.
void refuse_access(NodeState& node, const Request& request, const FetchRequest& body, ErrorCode error, Effects& out) {
  FetchResponse response;
  response.error_code = error;
  response.session_id = body.session_id;
  if (request.api_version < first_without_partitions_in_errors) {
    for (const auto& asked : body.topics) {
      auto& topic = response.responses.push_back(node.arena);
      topic.topic = asked.topic;
      for (const auto& partition : asked.partitions) {
        auto& refused = topic.partitions.push_back(node.arena);
        refused.partition_index = partition.partition;
        refused.error_code = error;
        refused.high_watermark = no_offset;
        refused.records = Bytes{};
      }
    }
  }
  out.push_back(Reply{request.connection, encode_answer(request.correlation_id, request.api_version, response)});
}

FetchResponse::PartitionData partition_answer(const NodeState& node, const FetchCall& call,
                                              const raft::FetchOutcome& outcome) {
  FetchResponse::PartitionData partition;
  partition.partition_index = raft::metadata_partition;
  partition.error_code = outcome.error;
  partition.high_watermark = outcome.high_watermark;
  partition.log_start_offset = node.log.start();
  partition.current_leader = {node.quorum.leader(), node.quorum.epoch()};
  // Nobody is told that it leads itself (P4).
  if (call.replica.id == node.config.node_id || call.replica.id == node.quorum.leader()) {
    partition.current_leader.leader_id = no_node;
  }
  if (outcome.position.kind == raft::FetchPosition::Kind::diverging) {
    partition.diverging_epoch = {outcome.position.diverging.epoch, outcome.position.diverging.end};
  } else if (outcome.position.kind == raft::FetchPosition::Kind::snapshot) {
    partition.snapshot_id = {outcome.position.snapshot.end, outcome.position.snapshot.epoch};
  }
  partition.records = Bytes{};  // never null (P11)
  return partition;
}

void answer(NodeState& node, const FetchCall& call, const raft::FetchOutcome& outcome, Effects& out) {
  FetchResponse response;
  FetchResponse::FetchableTopicResponse topic;
  topic.topic_id = metadata_topic_id;
  auto& partition = topic.partitions.push_back(node.arena, partition_answer(node, call, outcome));
  response.responses.push_back(node.arena, topic);
  const bool carries = call.version >= first_with_node_endpoints && partition.current_leader.leader_id != no_node;
  if (carries && !add_leader_endpoint(node.raft_view(), {call.version, call.listener, node.arena}, response)) {
    partition.current_leader.leader_id = no_node;  // P5
  }
  if (!outcome.has_records()) {
    out.push_back(Reply{call.connection, encode_answer(call.correlation_id, call.version, response)});
    return;
  }
  SplitAnswer split = split_answer(call.correlation_id, call.version, response, partition.records);
  out.push_back(ReplyWithRecords{call.connection, std::move(split.head), std::move(split.tail), outcome.from,
                                 outcome.to, call.max_bytes});
}

// What a fetch tells the leader of the replica.
void note_progress(NodeState& node, const FetchCall& call, const raft::FetchOutcome& outcome, const Time& now) {
  if (outcome.error != ErrorCode::none || outcome.position.kind != raft::FetchPosition::Kind::valid) return;
  raft::Leader& leader = *node.quorum.leading();
  if (leader.fetched(call.replica, call.fetch_offset, node.log.end(), node.voters.last(), now)) {
    node.committed = std::max(node.committed, leader.high_watermark());
  }
}

}  // namespace

void fetch(NodeState& node, const Request& request, Decision access, const Time& now, Effects& out) {
  FetchRequest body;
  Reader reader(request.body);
  if (!decode(reader, request.api_version, node.arena, body)) {
    out.push_back(CloseConnection{request.connection, "malformed Fetch"});
    return;
  }
  if (access != Decision::allowed) {
    refuse_access(node, request, body, refusal_code(access, request.api_key), out);
    return;
  }
  FetchCall call;
  call.connection = request.connection;
  call.correlation_id = request.correlation_id;
  call.version = request.api_version;
  call.listener = request.listener;
  if (const ErrorCode error = raft::read_fetch(node.raft_view(), body, call); error != ErrorCode::none) {
    refuse(request, error, out);
    return;
  }
  raft::FetchOutcome outcome = raft::fetch(node.raft_view(), call);
  note_progress(node, call, outcome, now);
  // This very fetch may have committed something, which the answer then tells.
  if (outcome.error == ErrorCode::none) outcome = raft::fetch(node.raft_view(), call);
  if (raft::may_wait(outcome, call)) {
    const MonoTime deadline = now.mono + ms_to_ns(call.max_wait_ms);
    node.fetches.park(std::move(call), deadline);
  } else {
    answer(node, call, outcome, out);
  }
}

void answer_voters_fetches(NodeState& node, Effects& out) {
  if (node.fetches.size() == 0) return;
  const auto is_voter = [&](const raft::ReplicaKey& replica) { return node.voters.last().has(replica); };
  answer_fetches(node, node.fetches.take_short_of(node.log.end(), is_voter), out);
}

void note_observers(NodeState& node, const ObserverContacts& contacts) {
  raft::Leader* leader = node.quorum.leading();
  if (leader == nullptr || contacts.epoch != node.quorum.epoch()) return;
  for (const ObserverContact& contact : contacts.observers) {
    const raft::ReplicaKey replica{contact.replica, contact.directory};
    if (node.voters.last().has(replica)) continue;  // since: it speaks for itself
    leader->fetched(replica, contact.fetch_offset, contact.log_end, node.voters.last(), contact.at);
  }
}

void answer_fetches(NodeState& node, const std::vector<FetchCall>& calls, Effects& out) {
  for (const FetchCall& call : calls) {
    // What it told of itself was noted when it came: it may be long gone (R16).
    const raft::FetchOutcome outcome = raft::fetch(node.raft_view(), call);
    answer(node, call, outcome, out);
    node.arena.reset();
  }
}

}  // namespace hayward::core

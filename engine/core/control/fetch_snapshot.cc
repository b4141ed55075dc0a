// See fetch_snapshot.h.
#include "engine/core/control/fetch_snapshot.h"

#include <utility>

#include "engine/core/control/access.h"
#include "engine/core/control/answer.h"
#include "engine/core/raft/fetch_snapshot.h"

namespace hayward::core {
namespace {

// A voter that loads a snapshot is there, though it does not fetch.
void note_contact(NodeState& node, const messages::FetchSnapshotRequest& request, const Time& now) {
  raft::Leader* leader = node.quorum.leading();
  if (leader == nullptr || request.topics.empty() || request.topics[0].partitions.empty()) return;
  const auto& partition = request.topics[0].partitions[0];
  if (partition.current_leader_epoch != node.quorum.epoch()) return;
  leader->heard_of({request.replica_id, partition.replica_directory_id}, node.voters.last(), now.mono);
}

}  // namespace

void fetch_snapshot(NodeState& node, const Request& request, Decision access, const Time& now, Effects& out) {
  messages::FetchSnapshotRequest body;
  Reader reader(request.body);
  if (!decode(reader, request.api_version, node.arena, body)) {
    out.push_back(CloseConnection{request.connection, "malformed FetchSnapshot"});
    return;
  }
  if (access != Decision::allowed) {
    messages::FetchSnapshotResponse response;
    response.error_code = refusal_code(access, request.api_key);
    out.push_back(Reply{request.connection, encode_answer(request.correlation_id, request.api_version, response)});
    return;
  }
  const raft::RaftCall call{request.api_version, request.listener, node.arena};
  note_contact(node, body, now);
  raft::SnapshotPiece piece = raft::fetch_snapshot(node.raft_view(), call, body);
  if (piece.length == 0) {
    out.push_back(
        Reply{request.connection, encode_answer(request.correlation_id, request.api_version, piece.response)});
    return;
  }
  auto& bytes = piece.response.topics[0].partitions[0].unaligned_records;
  SplitAnswer split = split_answer(request.correlation_id, request.api_version, piece.response, bytes);
  out.push_back(ReplyWithSnapshotBytes{request.connection, std::move(split.head), std::move(split.tail), piece.id,
                                       piece.position, piece.length});
}

}  // namespace hayward::core

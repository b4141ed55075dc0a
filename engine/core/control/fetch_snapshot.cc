// See fetch_snapshot.h.
#include "engine/core/control/fetch_snapshot.h"

#include <utility>

#include "engine/core/control/access.h"
#include "engine/core/control/answer.h"
#include "engine/core/raft/fetch_snapshot.h"

namespace hayward::core {

void fetch_snapshot(NodeState& node, const Request& request, Decision access, Effects& out) {
  messages::FetchSnapshotRequest body;
  Reader reader(request.body);
  if (!decode(reader, request.api_version, node.arena, body)) {
    out.push_back(CloseConnection{request.connection, "malformed FetchSnapshot"});
    return;
  }
  if (access != Decision::allowed) {
    messages::FetchSnapshotResponse response;
    response.error_code = refusal_code(access);
    out.push_back(Reply{request.connection, encode_answer(request.correlation_id, request.api_version, response)});
    return;
  }
  const raft::RaftCall call{request.api_version, request.listener, node.arena};
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

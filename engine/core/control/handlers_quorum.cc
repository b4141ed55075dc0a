// See handlers.h: the quorum, and what is known without the image.
// Owner: engine/core/control. Shard 0.
#include "engine/core/control/api_versions.h"
#include "engine/core/control/describe_quorum.h"
#include "engine/core/control/handlers.h"
#include "engine/core/control/status.h"
#include "engine/core/raft/begin_quorum_epoch.h"
#include "engine/core/raft/end_quorum_epoch.h"
#include "engine/core/raft/vote.h"

namespace hayward::core {
namespace {

using namespace messages;

// Raft's answers tell of no metadata that could be undone.
template <class Request, class Answer>
Outcome raft_answer(HandlerCall& call, Answer&& answer) {
  return decoded<Request>(call, [&](const Request& request) {
    return encode_outcome(call, answer(call.node.raft_view(), call.raft(), request), Outcome::Wait::nothing);
  });
}

// What may move this node itself.
template <class Request, class Answer>
Outcome election_answer(HandlerCall& call, Answer&& answer) {
  return decoded<Request>(call, [&](const Request& request) {
    raft::Turn turn = call.node.raft_turn(call.now, call.out);
    return encode_outcome(call, answer(turn, call.raft(), request), Outcome::Wait::nothing);
  });
}

}  // namespace

Outcome handle_api_versions(HandlerCall& call) {
  const std::int16_t version = call.context.api_version;
  if (version < ApiVersionsRequest::min_version || version > ApiVersionsRequest::max_version) {
    Outcome outcome;
    outcome.wait = Outcome::Wait::nothing;
    outcome.answer = encode_answer(call.correlation_id, 0, unsupported_api_versions(call.node.arena));
    return outcome;
  }
  return decoded<ApiVersionsRequest>(call, [&](const ApiVersionsRequest& request) {
    // Committed, like the rest; not shown at all before that is known.
    const Offset last_committed{call.node.committed.value - 1};
    const FeatureView features{call.node.published_features, call.node.voters.kraft_version_at(last_committed),
                               call.node.config.unstable_feature_versions};
    return encode_outcome(call, api_versions(features, version, request, call.node.arena), Outcome::Wait::nothing);
  });
}

Outcome handle_vote(HandlerCall& call) { return election_answer<VoteRequest>(call, raft::vote); }
Outcome handle_begin_quorum_epoch(HandlerCall& call) {
  return election_answer<BeginQuorumEpochRequest>(call, raft::begin_quorum_epoch);
}
Outcome handle_end_quorum_epoch(HandlerCall& call) {
  return election_answer<EndQuorumEpochRequest>(call, raft::end_quorum_epoch);
}
Outcome handle_describe_quorum(HandlerCall& call) {
  Outcome outcome = raft_answer<DescribeQuorumRequest>(
      call, [&](const raft::RaftView& view, const raft::RaftCall& raft_call, const DescribeQuorumRequest& request) {
        return describe_quorum(view, raft_call, request, call.now);
      });
  outcome.not_controller = call.access == Decision::allowed && call.node.quorum.leading() == nullptr;
  return outcome;
}

Outcome handle_status(HandlerCall& call) {
  return decoded<HaywardStatusRequest>(call, [&](const HaywardStatusRequest&) {
    return encode_outcome(call, status(call.node, call.now), Outcome::Wait::nothing);
  });
}

}  // namespace hayward::core

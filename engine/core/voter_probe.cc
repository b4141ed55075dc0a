// See voter_probe.h.
#include "engine/core/voter_probe.h"

#include <algorithm>
#include <utility>

#include "engine/core/control/dispatch.h"
#include "engine/core/node_state.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"

namespace hayward::core {
namespace {

using messages::ApiVersionsRequest;
using messages::ApiVersionsResponse;

// Kafka's, and as long as the request itself may take (controller.quorum.request.timeout.ms).
constexpr std::int64_t probe_timeout_ms = 2000;
// Version 4 tells of ranges that begin at 0.
constexpr std::int16_t version = 4;

void read_range(VoterProbe& probe, const ApiVersionsResponse& response) {
  for (const auto& feature : response.supported_features) {
    if (feature.name != "kraft.version") continue;
    probe.min_kraft_version = feature.min_version;
    probe.max_kraft_version = feature.max_version;
  }
}

void conclude(NodeState& node, const Time& now, Effects& out) {
  const std::unique_ptr<KeptRequest> request = std::move(node.voter_probe->request);
  if (request) handle_request(node, request->request, now, out);
  node.voter_probe.reset();
}

}  // namespace

void start_voter_probe(NodeState& node, const Voter& voter, const Time& now, Effects& out) {
  raft::Turn turn = node.raft_turn(now, out);
  if (node.links.in_flight(probe_peer, raft::Lane::requests)) return;  // one that was given up
  ApiVersionsRequest request;
  request.client_software_name = "hayward";
  request.client_software_version = "0";  // nobody looks; it must not be empty
  if (!raft::send_as(version, turn, probe_peer, voter.endpoints, raft::Lane::requests, request)) return;
  node.voter_probe = std::make_unique<VoterProbe>();
  node.voter_probe->token = std::get<SendToPeer>(out.back()).token;
  node.voter_probe->deadline = turn.after_ms(probe_timeout_ms);
}

void voter_probe_answered(NodeState& node, const PeerReply& reply, const Time& now, Effects& out) {
  raft::Turn turn = node.raft_turn(now, out);
  node.links.answered(reply, now.mono, node.raft_prng);
  VoterProbe* probe = node.voter_probe.get();
  if (probe == nullptr || probe->token != reply.token) return;
  const auto response = reply.failed ? std::nullopt : raft::read_answer<ApiVersionsResponse>(turn, reply);
  const bool reached = response && response->error_code == ErrorCode::none;
  probe->state = reached ? VoterProbe::State::reached : VoterProbe::State::not_reached;
  if (reached) read_range(*probe, *response);
  node.arena.reset();
  conclude(node, now, out);
}

MonoTime poll_voter_probe(NodeState& node, const Time& now, Effects& out) {
  if (!node.voter_probe) return mono_never;
  if (now.mono < node.voter_probe->deadline) return node.voter_probe->deadline;
  node.voter_probe->state = VoterProbe::State::not_reached;
  conclude(node, now, out);
  return mono_never;
}

void end_voter_probe(NodeState& node, const Time& now, Effects& out) {
  if (node.voter_probe) conclude(node, now, out);
}

}  // namespace hayward::core

// See handlers.h: the voters of a quorum. What raft allows is tried (voter_probe.h) and appended here, and answered once it
// is committed. Kafka does not try what UpdateRaftVoter says (docs/decisions/0006).
// Owner: engine/core/control. Shard 0.
#include <optional>
#include <string>
#include <utility>

#include "engine/core/control/handlers.h"
#include "engine/core/raft/add_raft_voter.h"
#include "engine/core/raft/control_records.h"
#include "engine/core/raft/remove_raft_voter.h"
#include "engine/core/raft/update_raft_voter.h"
#include "engine/core/voter_probe.h"

namespace hayward::core {
namespace {

using namespace messages;

template <class Request>
Voter voter_of(const Request& request) {
  Voter voter;
  voter.id = request.voter_id;
  voter.directory = request.voter_directory_id;
  for (const auto& each : request.listeners) {
    voter.endpoints.push_back({std::string(each.name), std::string(each.host), each.port, 0});
  }
  return voter;
}

void append_voters(HandlerCall& call, const raft::VoterSet& voters) {
  NodeState& node = call.node;
  BatchBuilder batch(node.log.end(), node.quorum.epoch(), call.now.wall_ms, BatchKind::control);
  raft::add_voters(batch, voters, node.voters, node.arena);
  append_control_batch(node, std::move(batch), call.now, call.out);
}

template <class Response>
Outcome refuse_change(HandlerCall& call, Response response, ErrorCode error, std::string_view message) {
  response.error_code = error;
  if constexpr (requires { response.error_message; }) response.error_message = message;
  return encode_outcome(call, response, Outcome::Wait::nothing);
}

// The request has to wait for its voter, or is in the way of one that does; nullopt: the voter has answered, or has not.
template <class Response>
std::optional<Outcome> waits_for(HandlerCall& call, const Voter& voter, const Response& response) {
  NodeState& node = call.node;
  if (node.voter_probe && node.voter_probe->state != VoterProbe::State::asked) return std::nullopt;
  const bool free = node.voter_probe == nullptr;
  if (free) start_voter_probe(node, voter, call.now, call.out);
  if (!free || !node.voter_probe) {
    return refuse_change(call, response, ErrorCode::request_timed_out, "Another change of the voters is under way.");
  }
  Outcome outcome;
  outcome.wait = Outcome::Wait::for_voter;
  return outcome;
}

bool supports(const VoterProbe& probe, std::int16_t kraft_version) {
  return probe.min_kraft_version <= kraft_version && kraft_version <= probe.max_kraft_version;
}

}  // namespace

Outcome handle_add_raft_voter(HandlerCall& call) {
  return decoded<AddRaftVoterRequest>(call, [&](const AddRaftVoterRequest& request) {
    NodeState& node = call.node;
    const auto response = raft::check_add_raft_voter(node.raft_view(), call.raft(), request);
    if (response.error_code != ErrorCode::none) return encode_outcome(call, response, Outcome::Wait::nothing);
    Voter voter = voter_of(request);
    if (auto waits = waits_for(call, voter, response)) return std::move(*waits);
    const VoterProbe& probe = *node.voter_probe;
    if (probe.state != VoterProbe::State::reached) {
      return refuse_change(call, response, ErrorCode::request_timed_out, "The new voter does not answer at its address.");
    }
    if (!supports(probe, node.voters.kraft_version())) {
      return refuse_change(call, response, ErrorCode::invalid_request,
                           "The new voter does not support this cluster's kraft.version.");
    }
    if (!node.quorum.leading()->has_caught_up({voter.id, voter.directory}, call.now.mono)) {
      return refuse_change(call, response, ErrorCode::request_timed_out,
                           "The new voter has not caught up with the leader's log.");
    }
    voter.min_kraft_version = probe.min_kraft_version;
    voter.max_kraft_version = probe.max_kraft_version;
    append_voters(call, node.voters.last().with(std::move(voter)));
    return encode_outcome(call, response,
                          request.ack_when_committed ? Outcome::Wait::for_pending : Outcome::Wait::nothing);
  });
}

Outcome handle_remove_raft_voter(HandlerCall& call) {
  return decoded<RemoveRaftVoterRequest>(call, [&](const RemoveRaftVoterRequest& request) {
    NodeState& node = call.node;
    const auto response = raft::check_remove_raft_voter(node.raft_view(), call.raft(), request);
    if (response.error_code != ErrorCode::none) return encode_outcome(call, response, Outcome::Wait::nothing);
    if (node.voter_probe) {
      return refuse_change(call, response, ErrorCode::request_timed_out, "Another change of the voters is under way.");
    }
    append_voters(call, node.voters.last().without(request.voter_id));
    return encode_outcome(call, response, Outcome::Wait::for_pending);
  });
}

Outcome handle_update_raft_voter(HandlerCall& call) {
  return decoded<UpdateRaftVoterRequest>(call, [&](const UpdateRaftVoterRequest& request) {
    NodeState& node = call.node;
    const auto response = raft::check_update_raft_voter(node.raft_view(), call.raft(), request);
    if (response.error_code != ErrorCode::none) return encode_outcome(call, response, Outcome::Wait::nothing);
    Voter voter = voter_of(request);
    voter.min_kraft_version = request.kraft_version_feature.min_supported_version;
    voter.max_kraft_version = request.kraft_version_feature.max_supported_version;
    if (node.voters.kraft_version() == 0) {
      node.quorum.leading()->note_update(std::move(voter));
      return encode_outcome(call, response, Outcome::Wait::nothing);
    }
    if (raft::same_entry(*node.voters.last().find(voter.id), voter)) {
      return encode_outcome(call, response, Outcome::Wait::for_pending);
    }
    if (auto waits = waits_for(call, voter, response)) return std::move(*waits);
    if (node.voter_probe->state != VoterProbe::State::reached) {
      return refuse_change(call, response, ErrorCode::request_timed_out, "");
    }
    append_voters(call, node.voters.last().with(std::move(voter)));
    return encode_outcome(call, response, Outcome::Wait::for_pending);
  });
}

}  // namespace hayward::core

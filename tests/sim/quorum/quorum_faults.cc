// What goes wrong in a QuorumWorld, what its clients do, and how it has to be in the end.
// Owner: QuorumWorld.
#include <algorithm>

#include "quorum_world.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/controller_registration_request.h"
#include "schemas/messages/controller_registration_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::sim {
namespace {

using namespace messages;

constexpr std::int64_t ms = 1'000'000;

}  // namespace

template <class Request>
void QuorumWorld::ask_all(const Request& request, const Buffer& mark) {
  const std::int16_t version = Request::max_version;
  Buffer body(encoded_size(request, version));
  Writer writer(body);
  encode(writer, request, version);
  for (auto& [id, controller] : controllers_) {
    if (!controller->node) continue;
    ask(*controller, next_client_++, Request::api_key, version, body,
        {.id = 0, .api_key = Request::api_key, .version = version, .mark = mark});
  }
}

// Each such write has a mark of its own, which must be found in every log from its acknowledgement on.
void QuorumWorld::write_something() {
  next_write_ns_ = now_ns_ + pick(20, 200) * ms;
  Arena arena;
  ControllerRegistrationRequest request;
  request.controller_id = NodeId{static_cast<std::int32_t>(1000 + writes_ % 20)};
  request.incarnation_id = IncarnationId{Uuid{0x5eed'0000'0000'0000ull + options_.seed, ++writes_}};
  request.listeners.push_back(arena, {"CONTROLLER", "elsewhere", 9093, 0});
  Buffer mark(16);
  Writer writer(mark);
  writer.write_uuid(request.incarnation_id.value);
  oracle_.expect(mark);
  ask_all(request, mark);
}

// Anyone is made a voter, or none any more, often before the last change can be committed; what cannot be is refused.
void QuorumWorld::change_voters() {
  next_change_ns_ = healing_ ? INT64_MAX : now_ns_ + (pick(0, 2) == 0 ? pick(1, 50) : pick(500, 4000)) * ms;
  const Id id = any().config.node_id.value;
  Arena arena;
  if (pick(0, 2) == 0) {
    RemoveRaftVoterRequest request;
    request.cluster_id = std::nullopt;
    request.voter_id = NodeId{id};
    request.voter_directory_id = directory_of(id);
    return ask_all(request, {});
  }
  AddRaftVoterRequest request;
  request.cluster_id = std::nullopt;
  request.timeout_ms = 2000;
  request.voter_id = NodeId{id};
  request.voter_directory_id = directory_of(id);
  const core::Endpoint endpoint = controllers_.at(id)->config.advertised.front();
  request.listeners.push_back(arena, {arena.copy(endpoint.listener), arena.copy(endpoint.host), endpoint.port});
  request.ack_when_committed = pick(0, 1) == 0;
  ask_all(request, {});
}

template <class Response>
std::optional<ErrorCode> QuorumWorld::error_in(Bytes body, std::int16_t version) {
  Arena arena;
  Reader reader(body);
  Response response;
  if (decode(reader, version, arena, response)) return response.error_code;
  failure_ = "an answer that cannot be read";
  return std::nullopt;
}

void QuorumWorld::client_answered(const Asker& asker, Bytes body) {
  if (asker.api_key == AddRaftVoterRequest::api_key) {
    happenings_.voters_added += error_in<AddRaftVoterResponse>(body, asker.version) == ErrorCode::none;
  } else if (asker.api_key == RemoveRaftVoterRequest::api_key) {
    happenings_.voters_removed += error_in<RemoveRaftVoterResponse>(body, asker.version) == ErrorCode::none;
  } else if (const auto error = error_in<ControllerRegistrationResponse>(body, asker.version)) {
    happenings_.acknowledged += *error == ErrorCode::none;
    happenings_.refused_writes += *error != ErrorCode::none;
    if (*error == ErrorCode::none) oracle_.acknowledged(asker.mark);
    if (*error != ErrorCode::none && *error != ErrorCode::not_controller && !failure_) {
      failure_ = "a write answered " + std::to_string(static_cast<int>(*error));
    }
  }
}

void QuorumWorld::partition() {
  const auto count = static_cast<Id>(controllers_.size());
  const Id one = static_cast<Id>(pick(1, count));
  const Id other = static_cast<Id>(pick(1, count));
  const std::int64_t shape = pick(0, 3);
  for (Id a = 1; a <= count; ++a) {
    for (Id b = 1; b <= count; ++b) {
      if (a == b) continue;
      const bool cut = shape == 0   ? (a == one) != (b == one)          // one alone
                       : shape == 1 ? a == one                          // one is not heard
                       : shape == 2 ? (a == one && b == other) || (a == other && b == one)  // a broken line
                                    : b == one;                         // one hears nothing
      if (cut) network_.block(a, b);
    }
  }
  happenings_.one_way += shape == 1 || shape == 3;
  ++happenings_.partitions;
}

void QuorumWorld::fault() {
  next_fault_ns_ = now_ns_ + pick(200, 4000) * ms;
  Controller& controller = any();
  switch (pick(0, 6)) {
    case 0:
    case 1:
      if (!controller.node) break;
      ++happenings_.crashes;
      crash(controller);
      controller.restart_ns = now_ns_ + pick(50, 5000) * ms;
      break;
    case 2:
      if (!controller.node) break;
      ++happenings_.pauses;
      controller.paused_until_ns = now_ns_ + pick(100, 6000) * ms;
      break;
    case 3:
      network_.unblock_all();
      partition();
      mend_ns_ = now_ns_ + pick(500, 8000) * ms;
      break;
    case 4:
      ++happenings_.bad_networks;
      network_.faults = {.drop_per_mille = static_cast<std::uint64_t>(pick(0, 300)),
                         .duplicate_per_mille = static_cast<std::uint64_t>(pick(0, 200)),
                         .reset_per_mille = static_cast<std::uint64_t>(pick(0, 200)),
                         .min_delay_ns = 50'000,
                         .max_delay_ns = pick(1, 400) * ms};
      mend_ns_ = now_ns_ + pick(500, 8000) * ms;
      break;
    case 5:
      ++happenings_.slow_disks;
      controller.log.set_latency(pick(1, 50) * ms, pick(51, 1500) * ms);
      mend_ns_ = now_ns_ + pick(500, 8000) * ms;
      break;
    case 6:
      if (controller.node) stop(controller);
      break;
  }
}

void QuorumWorld::heal() {
  healing_ = true;
  next_fault_ns_ = INT64_MAX;
  mend_ns_ = now_ns_;
  for (auto& [id, controller] : controllers_) {
    controller->paused_until_ns = 0;
    if (!controller->node) controller->restart_ns = std::min(controller->restart_ns, now_ns_ + 1000 * ms);
  }
  acknowledged_at_heal_ = happenings_.acknowledged;
}

std::optional<std::string> QuorumWorld::check_healed() {
  if (happenings_.acknowledged <= acknowledged_at_heal_ + 20) return "V1: healed, but nobody takes writes";
  NodeId leader = no_node;
  Epoch epoch{0};
  for (auto& [id, controller] : controllers_) {
    if (!controller->node) return "V1: controller " + std::to_string(id) + " is down";
    const core::NodeView view = controller->node->view();
    if (leader == no_node) {
      leader = view.leader;
      epoch = view.epoch;
    }
    if (view.leader != leader || view.epoch != epoch || leader == no_node) return "V1: no leader that all agree on";
    if (view.high_watermark.value < oracle_.log().end() - 20) return "V4: controller " + std::to_string(id) + " lags";
  }
  return std::nullopt;
}

}  // namespace hayward::sim

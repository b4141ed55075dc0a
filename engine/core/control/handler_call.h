// One request on its way through a handler: decode, decide, append what was decided, encode. The parts that
// are the same for every API; handlers_*.cc put the handlers in.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/core/append.h"
#include "engine/core/control/access.h"
#include "engine/core/control/answer.h"
#include "engine/core/control/context.h"
#include "engine/core/control/refusals.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"
#include "engine/core/records.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// How the bytes of an answer go out.
struct Outcome {
  enum class Wait : std::uint8_t {
    for_pending,  // it tells of the image: once everything written so far is committed
    nothing,      // an error, or it tells of nothing that could be undone
    for_leader,   // no answer yet: see leader_waits.h
    for_voter,    // no answer yet: the request is handled anew when node.voter_probe is done
  };
  bool malformed = false;       // no answer: the connection ends
  bool not_controller = false;  // an Envelope around it says so itself
  Wait wait = Wait::for_pending;
  std::optional<BrokerIncarnation> until_unregistered{};  // it waits until the last slice has taken that broker out
  Buffer answer;  // response header and body
};

struct HandlerCall {
  NodeState& node;
  const RequestContext& context;
  std::int32_t correlation_id;
  Bytes body;
  const Time& now;
  Effects& out;
  Decision access;     // the caller's right to the API; decoded() heeds it
  RecordList records;  // what the handler decides on

  HandlerContext handler() const { return handler_context(node, context); }
  raft::RaftCall raft() const { return {context.api_version, context.listener, node.arena}; }
  bool active() const { return node.active && !node.stopping; }
};

template <class Response>
Outcome encode_outcome(const HandlerCall& call, const Response& response, Outcome::Wait wait) {
  Outcome outcome;
  outcome.wait = wait;
  outcome.answer = encode_answer(call.correlation_id, call.context.api_version, response);
  return outcome;
}

// Whether the whole answer is one error, which goes out at once, as with Kafka.
template <class Response>
bool is_error(const Response& response) {
  if constexpr (requires { response.error_code; })
    return response.error_code != ErrorCode::none;
  else
    return false;
}

template <class Request>
Outcome refuse_call(const HandlerCall& call, const Request& request, ErrorCode error) {
  Outcome outcome = encode_outcome(call, refusal(request, error, call.node.arena), Outcome::Wait::nothing);
  outcome.not_controller = error == ErrorCode::not_controller;
  return outcome;
}

// Encodes the answer, then appends call.records: in this order, for the answer may hold views of what the
// records take out of the image.
template <class Request, class Response>
Outcome conclude(HandlerCall& call, const Request& request, const Response& response) {
  const bool at_once = call.records.empty() && is_error(response);
  Outcome outcome = encode_outcome(call, response, at_once ? Outcome::Wait::nothing : Outcome::Wait::for_pending);
  const ErrorCode error = append_records(call.node, call.records, call.now, call.out);
  return error == ErrorCode::none ? outcome : refuse_call(call, request, error);
}

// Decodes and gives the request to `decide(request) -> Outcome`, if the caller may have it served.
template <class Request, class Decide>
Outcome decoded(HandlerCall& call, Decide&& decide) {
  Request request;
  Reader reader(call.body);
  if (!decode(reader, call.context.api_version, call.node.arena, request)) {
    Outcome outcome;
    outcome.malformed = true;
    return outcome;
  }
  if (call.access != Decision::allowed) return refuse_call(call, request, refusal_code(call.access, Request::api_key));
  return decide(request);
}

// For what only the active controller can answer.
template <class Request, class Decide>
Outcome decoded_if_active(HandlerCall& call, Decide&& decide) {
  return decoded<Request>(call, [&](const Request& request) {
    return call.active() ? decide(request) : refuse_call(call, request, ErrorCode::not_controller);
  });
}

// Had to be looked at within `timeout_ms` of its arrival; at or below 0 it never can be.
inline bool is_late(const HandlerCall& call, std::int64_t timeout_ms) {
  return timeout_ms <= 0 || call.now.mono - call.context.arrival >= ms_to_ns(timeout_ms);
}

// A user's operation that changes metadata: `handler(context, request, records) -> response`. More records
// than Kafka allows one operation are policy_violation, and none is written.
template <class Request, class Handler>
Outcome user_operation(HandlerCall& call, Handler&& handler) {
  return decoded_if_active<Request>(call, [&](const Request& request) {
    const auto response = handler(call.handler(), request, call.records);
    if (call.records.size() > max_records_per_user_operation) {
      return refuse_call(call, request, ErrorCode::policy_violation);
    }
    return conclude(call, request, response);
  });
}

// The same for the APIs whose timeoutMs Kafka heeds: a request that waited longer is not carried out.
template <class Request, class Handler>
Outcome timed_user_operation(HandlerCall& call, Handler&& handler) {
  return decoded_if_active<Request>(call, [&](const Request& request) {
    if (is_late(call, request.timeout_ms)) return refuse_call(call, request, ErrorCode::request_timed_out);
    const auto response = handler(call.handler(), request, call.records);
    if (call.records.size() > max_records_per_user_operation) {
      return refuse_call(call, request, ErrorCode::policy_violation);
    }
    return conclude(call, request, response);
  });
}

}  // namespace hayward::core

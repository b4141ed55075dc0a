// See links.h.
#include "engine/core/raft/links.h"

#include <algorithm>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {

MonoTime Links::free_at(NodeId peer, Lane lane) const {
  const auto at = lanes_.find({peer, lane});
  if (at == lanes_.end()) return MonoTime{INT64_MIN};
  return at->second.request ? mono_never : at->second.rests_until;
}

std::int16_t Links::version(NodeId peer, std::int16_t api_key, std::int16_t ours) const {
  const auto at = versions_.find({peer, api_key});
  return at == versions_.end() ? ours : std::min(ours, at->second);
}

std::uint64_t Links::sent(NodeId peer, Lane lane, InFlight request) {
  State& state = lanes_[{peer, lane}];
  HAYWARD_ASSERT(!state.request, "one request in a lane at a time");
  request.token = ++last_token_;
  state.request = request;
  return request.token;
}

std::optional<InFlight> Links::answered(const PeerReply& reply, MonoTime now, Prng& prng) {
  for (const Lane lane : {Lane::requests, Lane::fetches}) {
    const auto at = lanes_.find({reply.peer, lane});
    if (at == lanes_.end() || !at->second.request || at->second.request->token != reply.token) continue;
    State& state = at->second;
    const InFlight request = *state.request;
    state.request.reset();
    const bool rest_now = std::exchange(state.rest_after_answer, false);
    if (reply.highest_version >= 0) {
      versions_[{reply.peer, reply.api_key}] = reply.highest_version;
    } else if (reply.failed || rest_now) {
      if (rest_now && state.next_rest_ms == 0) state.next_rest_ms = first_rest_ms;
      let_rest(state, now, prng);
    } else {
      state.next_rest_ms = 0;
    }
    return request;
  }
  return std::nullopt;
}

void Links::rest_after_answer(NodeId peer, Lane lane) { lanes_[{peer, lane}].rest_after_answer = true; }

void Links::rest(NodeId peer, Lane lane, MonoTime now, Prng& prng) {
  State& state = lanes_[{peer, lane}];
  if (state.next_rest_ms == 0) state.next_rest_ms = first_rest_ms;
  let_rest(state, now, prng);
}

void Links::wake(NodeId peer) {
  for (const Lane lane : {Lane::requests, Lane::fetches}) {
    const auto at = lanes_.find({peer, lane});
    if (at == lanes_.end()) continue;
    at->second.rests_until = MonoTime{INT64_MIN};
    at->second.next_rest_ms = 0;
    at->second.rest_after_answer = false;
  }
}

void Links::let_rest(State& state, MonoTime now, Prng& prng) {
  const std::int64_t rest_ms = state.next_rest_ms;
  state.next_rest_ms = rest_ms == 0 ? first_rest_ms : std::min(rest_ms * 2, longest_rest_ms);
  // Not all at the same moment.
  const std::int64_t spread_ns = ms_to_ns(rest_ms) / 5;
  const std::int64_t extra_ns =
      spread_ns == 0 ? 0 : static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(spread_ns)));
  state.rests_until = now + ms_to_ns(rest_ms) + extra_ns;
}

}  // namespace hayward::core::raft

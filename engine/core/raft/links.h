// Who has been asked what, and who may be asked again when. Each peer has two lanes with at most one request each: one
// for fetches, which may wait long, and one for everything else, which must not wait behind them. A lane that failed
// rests for a while, longer each time.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/prng.h"
#include "engine/base/time.h"
#include "engine/core/event.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

enum class Lane : std::uint8_t { requests, fetches };

// A request that is under way.
struct InFlight {
  std::uint64_t token = 0;
  Epoch epoch{0};          // ours when it was sent
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  bool pre_vote = false;   // of a Vote
};

class Links {
 public:
  static constexpr std::int64_t first_rest_ms = 20;  // controller.quorum.retry.backoff.ms
  static constexpr std::int64_t longest_rest_ms = 500;

  // When a request may be sent there: a time in the past, in the future, or mono_never while one is under way.
  MonoTime free_at(NodeId peer, Lane lane) const;
  bool in_flight(NodeId peer, Lane lane) const { return free_at(peer, lane) == mono_never; }
  // The highest version of `api_key` that the peer has, as far as it is known; at most `ours`.
  std::int16_t version(NodeId peer, std::int16_t api_key, std::int16_t ours) const;

  // Notes a request that goes out; its token.
  std::uint64_t sent(NodeId peer, Lane lane, InFlight request);
  // What `reply` answers, the lane being free again; nullopt: nothing that is still waited for. A reply that failed
  // lets the lane rest (the first time not at all: a connection may just have been closed as idle).
  std::optional<InFlight> answered(const PeerReply& reply, MonoTime now, Prng& prng);
  // The one under way is not urgent: the lane rests after its answer, whatever that is.
  void rest_after_answer(NodeId peer, Lane lane);
  // The answer was of no use: the lane rests as after a failure.
  void rest(NodeId peer, Lane lane, MonoTime now, Prng& prng);
  // It is said to lead: it is asked without a rest.
  void wake(NodeId peer);

 private:
  struct State {
    std::optional<InFlight> request;
    MonoTime rests_until{INT64_MIN};
    std::int64_t next_rest_ms = 0;
    bool rest_after_answer = false;
  };
  using Key = std::pair<NodeId, Lane>;
  static void let_rest(State& state, MonoTime now, Prng& prng);

  std::map<Key, State> lanes_;
  std::map<std::pair<NodeId, std::int16_t>, std::int16_t> versions_;
  std::uint64_t last_token_ = 0;
};

}  // namespace hayward::core::raft

// Before the log holds a voter's address the leader tries it: a voter that is not found where it says it is could cost the
// quorum its next election. One at a time. The request that asks for the change waits; once the answer is there, or does
// not come, it is handled anew, and so finds what became of it.
// Owner: the node. Shard 0, while leading.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/parked.h"
#include "engine/core/types.h"

namespace hayward::core {

struct NodeState;

struct VoterProbe {
  enum class State : std::uint8_t { asked, reached, not_reached };
  State state = State::asked;
  std::uint64_t token = 0;
  MonoTime deadline;
  std::int16_t min_kraft_version = 0;  // once reached: what it supports
  std::int16_t max_kraft_version = 0;
  std::unique_ptr<KeptRequest> request;
};

// Peers know each other by id; the one that is tried may have a voter's.
inline constexpr NodeId probe_peer{-1'000'000};

// Asks the voter for its versions; node.voter_probe is there, or, if nothing can be sent now, is not.
void start_voter_probe(NodeState& node, const Voter& voter, const Time& now, Effects& out);
void voter_probe_answered(NodeState& node, const PeerReply& reply, const Time& now, Effects& out);
// After each event. When to look again.
MonoTime poll_voter_probe(NodeState& node, const Time& now, Effects& out);
// This node leads no more, or stops: the request gets its refusal.
void end_voter_probe(NodeState& node, const Time& now, Effects& out);

}  // namespace hayward::core

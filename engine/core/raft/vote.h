// Vote (52), pre-votes included: both sides.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/event.h"
#include "engine/core/raft/election.h"
#include "engine/core/raft/raft_view.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"

namespace hayward::core::raft {

struct InFlight;
struct Turn;

// Decides on somebody's request for a vote. The answer may go out once quorum-state is durable (R3).
messages::VoteResponse vote(Turn& turn, const RaftCall& call, const messages::VoteRequest& request);

// Asks every voter that has not answered yet and can be asked now; when to look again.
MonoTime ask_for_votes(Turn& turn, Election& election, bool pre_vote);
void vote_answered(Turn& turn, const PeerReply& reply, const InFlight& request);

}  // namespace hayward::core::raft

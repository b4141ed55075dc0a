// What a follower asks of its leader about the voters: a voter, that its entry says where it is (UpdateRaftVoter); with
// controller.quorum.auto.join.enable an observer, that it becomes a voter. One that was a voter and is none any more has
// been removed by an operator, and stays out.
// Owner: raft/follower.h. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/event.h"

namespace hayward::core::raft {

struct Turn;

// When to look again.
MonoTime poll_voter_requests(Turn& turn);
void voter_request_answered(Turn& turn, const PeerReply& reply);

}  // namespace hayward::core::raft

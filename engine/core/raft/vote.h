// Vote (52), pre-votes included.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"

namespace hayward::core::raft {

messages::VoteResponse vote(const RaftView& view, const RaftCall& call, const messages::VoteRequest& request);

}  // namespace hayward::core::raft

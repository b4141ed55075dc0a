// UpdateRaftVoter (82): a voter tells the leader its addresses and kraft.version range. Whether the leader takes them.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_response.h"

namespace hayward::core::raft {

// The answer; without an error: it does.
messages::UpdateRaftVoterResponse check_update_raft_voter(const RaftView& view, const RaftCall& call,
                                                          const messages::UpdateRaftVoterRequest& request);

}  // namespace hayward::core::raft

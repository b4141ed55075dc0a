// AddRaftVoter (80): whether a voter may be added, as far as the leader knows by itself. The checks are Kafka's.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"

namespace hayward::core::raft {

// The refusal; without an error: it may.
messages::AddRaftVoterResponse check_add_raft_voter(const RaftView& view, const RaftCall& call,
                                                    const messages::AddRaftVoterRequest& request);

}  // namespace hayward::core::raft

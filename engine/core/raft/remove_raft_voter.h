// RemoveRaftVoter (81): whether a voter may be removed. The last voter stays, as with Kafka.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"

namespace hayward::core::raft {

// The refusal; without an error: it may.
messages::RemoveRaftVoterResponse check_remove_raft_voter(const RaftView& view, const RaftCall& call,
                                                          const messages::RemoveRaftVoterRequest& request);

}  // namespace hayward::core::raft

// RemoveRaftVoter (81). The last voter stays, as with Kafka.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"

namespace hayward::core::raft {

messages::RemoveRaftVoterResponse remove_raft_voter(const RaftView& view, const RaftCall& call,
                                                    const messages::RemoveRaftVoterRequest& request);

}  // namespace hayward::core::raft

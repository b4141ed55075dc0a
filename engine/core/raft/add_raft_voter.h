// AddRaftVoter (80). The checks are Kafka's; what passes them all is refused by name, for this version cannot
// change the voter set.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"

namespace hayward::core::raft {

messages::AddRaftVoterResponse add_raft_voter(const RaftView& view, const RaftCall& call,
                                              const messages::AddRaftVoterRequest& request);

}  // namespace hayward::core::raft

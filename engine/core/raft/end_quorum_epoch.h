// EndQuorumEpoch (54): a leader says that it resigns, and who should follow it. Both sides.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/event.h"
#include "engine/core/raft/raft_view.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"

namespace hayward::core::raft {

struct Turn;

messages::EndQuorumEpochResponse end_quorum_epoch(Turn& turn, const RaftCall& call,
                                                  const messages::EndQuorumEpochRequest& request);

// By a resigned leader. False: the voter has no endpoint.
bool send_end_quorum_epoch(Turn& turn, const Voter& voter);
void end_quorum_epoch_answered(Turn& turn, const PeerReply& reply);

}  // namespace hayward::core::raft

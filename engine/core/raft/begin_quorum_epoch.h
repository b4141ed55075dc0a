// BeginQuorumEpoch (53): a leader says that it leads. Both sides.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/event.h"
#include "engine/core/raft/raft_view.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"

namespace hayward::core::raft {

struct Turn;

messages::BeginQuorumEpochResponse begin_quorum_epoch(Turn& turn, const RaftCall& call,
                                                      const messages::BeginQuorumEpochRequest& request);

// False: the voter has no endpoint.
bool send_begin_quorum_epoch(Turn& turn, const Voter& voter);
void begin_quorum_epoch_answered(Turn& turn, const PeerReply& reply);

}  // namespace hayward::core::raft

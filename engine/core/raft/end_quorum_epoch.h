// EndQuorumEpoch (54): a leader says that it resigns. With one voter there is nobody to take over.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"

namespace hayward::core::raft {

messages::EndQuorumEpochResponse end_quorum_epoch(const RaftView& view, const RaftCall& call,
                                                  const messages::EndQuorumEpochRequest& request);

}  // namespace hayward::core::raft

// BeginQuorumEpoch (53): somebody says that it leads.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"

namespace hayward::core::raft {

messages::BeginQuorumEpochResponse begin_quorum_epoch(const RaftView& view, const RaftCall& call,
                                                      const messages::BeginQuorumEpochRequest& request);

}  // namespace hayward::core::raft

// DescribeQuorum (55): the leader's view of voters and observers.
// Owner: engine/core/control. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/raft/raft_view.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"

namespace hayward::core {

// Errors, per partition: unknown_topic_or_partition (any but the metadata partition alone),
// not_leader_or_follower.
messages::DescribeQuorumResponse describe_quorum(const raft::RaftView& view, const raft::RaftCall& call,
                                                 const messages::DescribeQuorumRequest& request, const Time& now);

}  // namespace hayward::core

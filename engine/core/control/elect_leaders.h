// ElectLeaders (43): preferred or unclean elections that an operator asks for.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/elect_leaders_request.h"
#include "schemas/messages/elect_leaders_response.h"

namespace hayward::core {

// Top-level error: invalid_request (an unknown type of election). Item errors: unknown_topic_or_partition,
// election_not_needed (the preferred replica leads, or for an unclean election anybody does),
// preferred_leader_not_available, eligible_leaders_not_available. Without a list of partitions it is about all of
// them, and those that need no election are left out of the answer, though their topics are in it.
messages::ElectLeadersResponse elect_leaders(const HandlerContext& context,
                                             const messages::ElectLeadersRequest& request, RecordList& records);

}  // namespace hayward::core

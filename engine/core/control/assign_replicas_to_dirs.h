// AssignReplicasToDirs (73): a broker says in which directories its replicas are.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "schemas/messages/assign_replicas_to_dirs_request.h"
#include "schemas/messages/assign_replicas_to_dirs_response.h"

namespace hayward::core {

// Top-level errors: unsupported_version (metadata.version < 17), stale_broker_epoch. Item errors: unknown_topic_id,
// unknown_topic_or_partition, not_leader_or_follower (the broker is no replica). What goes to a directory that the
// broker does not have online leaves the ISR too.
messages::AssignReplicasToDirsResponse assign_replicas_to_dirs(const HandlerContext& context,
                                                               const messages::AssignReplicasToDirsRequest& request,
                                                               RecordList& records);

}  // namespace hayward::core

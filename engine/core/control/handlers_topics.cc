// See handlers.h: topics, partitions, configs and features.
// Owner: engine/core/control. Shard 0.
#include "engine/core/control/allocate_producer_ids.h"
#include "engine/core/control/alter_configs.h"
#include "engine/core/control/alter_partition.h"
#include "engine/core/control/alter_partition_reassignments.h"
#include "engine/core/control/assign_replicas_to_dirs.h"
#include "engine/core/control/create_partitions.h"
#include "engine/core/control/create_topics.h"
#include "engine/core/control/delete_topics.h"
#include "engine/core/control/describe_configs.h"
#include "engine/core/control/elect_leaders.h"
#include "engine/core/control/handlers.h"
#include "engine/core/control/incremental_alter_configs.h"
#include "engine/core/control/kraft_version.h"
#include "engine/core/control/list_partition_reassignments.h"
#include "engine/core/control/update_features.h"

namespace hayward::core {
namespace {

using namespace messages;

// What a broker asks for itself: no bound on the records but those of the log.
template <class Request, class Handle>
Outcome broker_operation(HandlerCall& call, Handle&& handle) {
  return decoded_if_active<Request>(call, [&](const Request& request) {
    const auto response = handle(call.handler(), request, call.records);
    return conclude(call, request, response);
  });
}

// What creates and deletes partitions is charged to its client; `strict_since`: the first version whose clients know
// the error that refuses it.
template <class Request, class Handle>
Outcome mutating_operation(HandlerCall& call, std::int16_t strict_since, Handle&& handle) {
  return timed_user_operation<Request>(call, [&](HandlerContext context, const Request& request, RecordList& records) {
    MutationQuota quota(call.node.mutation_buckets,
                        mutation_rate_of(context.image.client_quotas(), context.request.principal.name,
                                         context.request.client_id.value_or("")),
                        context.request.api_version >= strict_since, context.request.now.mono);
    context.mutation_quota = &quota;
    auto response = handle(context, request, records);
    response.throttle_time_ms = quota.throttle_time_ms();
    return response;
  });
}

// The voters and the observers that the leader hears of.
std::vector<NodeId> replicas(const HandlerCall& call) {
  std::vector<NodeId> ids = call.node.voters.last().ids();
  for (const auto& [key, progress] : call.node.quorum.leading()->observers(call.now.mono)) ids.push_back(key.id);
  return ids;
}

}  // namespace

Outcome handle_create_topics(HandlerCall& call) {
  return mutating_operation<CreateTopicsRequest>(call, 6, create_topics);
}
Outcome handle_delete_topics(HandlerCall& call) {
  return mutating_operation<DeleteTopicsRequest>(call, 5, delete_topics);
}
Outcome handle_create_partitions(HandlerCall& call) {
  return mutating_operation<CreatePartitionsRequest>(call, 3, create_partitions);
}
Outcome handle_incremental_alter_configs(HandlerCall& call) {
  return user_operation<IncrementalAlterConfigsRequest>(call, incremental_alter_configs);
}
Outcome handle_alter_configs(HandlerCall& call) { return user_operation<AlterConfigsRequest>(call, replace_configs); }
Outcome handle_elect_leaders(HandlerCall& call) {
  return timed_user_operation<ElectLeadersRequest>(call, elect_leaders);
}
Outcome handle_alter_partition_reassignments(HandlerCall& call) {
  return timed_user_operation<AlterPartitionReassignmentsRequest>(call, alter_partition_reassignments);
}
Outcome handle_list_partition_reassignments(HandlerCall& call) {
  return decoded_if_active<ListPartitionReassignmentsRequest>(
      call, [&](const ListPartitionReassignmentsRequest& request) {
        return encode_outcome(call, list_partition_reassignments(call.handler(), request), Outcome::Wait::for_pending);
      });
}

Outcome handle_alter_partition(HandlerCall& call) {
  return broker_operation<AlterPartitionRequest>(call, alter_partition);
}
Outcome handle_allocate_producer_ids(HandlerCall& call) {
  return broker_operation<AllocateProducerIdsRequest>(call, allocate_producer_ids);
}
Outcome handle_assign_replicas_to_dirs(HandlerCall& call) {
  return broker_operation<AssignReplicasToDirsRequest>(call, assign_replicas_to_dirs);
}

Outcome handle_describe_configs(HandlerCall& call) {
  return decoded<DescribeConfigsRequest>(call, [&](const DescribeConfigsRequest& request) {
    return encode_outcome(call, describe_configs(call.handler(), request), Outcome::Wait::for_pending);
  });
}

Outcome handle_update_features(HandlerCall& call) {
  return decoded_if_active<UpdateFeaturesRequest>(call, [&](const UpdateFeaturesRequest& request) {
    const RaftSight raft{call.node.voters.kraft_version(), why_not_raise_kraft_version(call.node), replicas(call)};
    const UpdateFeaturesOutcome decided = update_features(call.handler(), raft, request, call.records);
    if (decided.kraft_version) raise_kraft_version(call.node, *decided.kraft_version, call.now, call.out);
    return conclude(call, request, decided.response);
  });
}

}  // namespace hayward::core

#include "engine/core/control/alter_partition_reassignments.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "engine/core/control/api_fault.h"
#include "engine/core/control/new_partition.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/control/reassignment.h"

namespace hayward::core {
namespace {

using Request = messages::AlterPartitionReassignmentsRequest;
using Response = messages::AlterPartitionReassignmentsResponse;

std::optional<ApiFault> cancel(const Topic& topic, const Partition& partition, PartitionChanges& changes) {
  const Partition& now = changes.now(partition);
  if (!now.is_reassigning()) return ApiFault{ErrorCode::no_reassignment_in_progress, std::nullopt};
  const RevertedReassignment reverted = revert_reassignment(now);
  const Election election = changes.election_of(topic);
  if (reverted.replicas.empty()) {
    return ApiFault{ErrorCode::invalid_replica_assignment, "Every replica is a new one"};
  }
  if (reverted.unclean && election != Election::unclean) {
    return ApiFault{ErrorCode::invalid_replica_assignment,
                    "Only new replicas are in sync: going back would need an unclean leader election"};
  }
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(now, topic.id, eligibility, changes.rules_of(topic));
  builder.election(election)
      .target_isr(reverted.isr)
      .target_replicas(reverted.replicas)
      .target_removing({})
      .target_adding({});
  changes.add(partition, builder);
  return std::nullopt;
}

std::optional<ApiFault> check_target(const HandlerContext& context, const Partition& now,
                                     std::span<const NodeId> target, bool allow_factor_change) {
  if (auto fault = check_replicas(context.image.cluster(), target)) return fault;
  for (NodeId node : target) {
    if (now.is_replica(node)) continue;  // it may stay where it is
    if (auto fault = check_not_cordoned(context.image.cluster(), node)) return fault;
  }
  const std::size_t factor =
      now.replicas().size() - static_cast<std::size_t>(std::ranges::count_if(
                                  now.removing_replicas(), [&](NodeId node) { return now.is_replica(node); }));
  if (!allow_factor_change && factor != target.size()) {
    return ApiFault{
        ErrorCode::invalid_replication_factor,
        "The replication factor would change from " + std::to_string(factor) + " to " + std::to_string(target.size())};
  }
  return std::nullopt;
}

std::optional<ApiFault> reassign(const Topic& topic, const Partition& partition, std::span<const NodeId> target,
                                 bool allow_factor_change, PartitionChanges& changes) {
  const Partition& now = changes.now(partition);
  if (auto fault = check_target(changes.context(), now, target, allow_factor_change)) return fault;
  const Reassignment wanted = start_reassignment(now, target);
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(now, topic.id, eligibility, changes.rules_of(topic));
  builder.target_replicas(wanted.replicas).target_removing(wanted.removing).target_adding(wanted.adding);
  changes.add(partition, builder);
  return std::nullopt;
}

std::optional<ApiFault> alter(const Topic* topic, const Request::ReassignablePartition& wanted,
                              bool allow_factor_change, PartitionChanges& changes) {
  const Partition* partition = topic == nullptr ? nullptr : changes.topics().partition(*topic, wanted.partition_index);
  if (partition == nullptr) return ApiFault{ErrorCode::unknown_topic_or_partition, "There is no such partition"};
  if (changes.records().size() >= max_records_per_user_operation) return too_many_records();
  if (wanted.replicas.is_null()) return cancel(*topic, *partition, changes);
  return reassign(*topic, *partition, wanted.replicas, allow_factor_change, changes);
}

}  // namespace

Response alter_partition_reassignments(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  if (request.topics.empty()) return response;
  response.error_message = std::nullopt;
  response.allow_replication_factor_change = request.allow_replication_factor_change;
  PartitionChanges changes(context, records);
  for (const auto& wanted_topic : request.topics) {
    auto& topic_answer = response.responses.push_back(context.arena);
    topic_answer.name = wanted_topic.name;
    const Topic* topic = changes.topics().find(wanted_topic.name);
    for (const auto& wanted : wanted_topic.partitions) {
      const ApiFault fault =
          alter(topic, wanted, request.allow_replication_factor_change, changes).value_or(ApiFault{});
      auto& answer = topic_answer.partitions.push_back(context.arena);
      answer.partition_index = wanted.partition_index;
      answer.error_code = fault.code;
      answer.error_message = text_of(fault, context.arena);
    }
  }
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

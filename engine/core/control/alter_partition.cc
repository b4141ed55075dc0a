#include "engine/core/control/alter_partition.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/control/broker_epoch.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

using Request = messages::AlterPartitionRequest;
using Response = messages::AlterPartitionResponse;
using BrokerState = Request::BrokerState;

// What the leader asks for one partition, in the form that both versions have in common.
struct Wish {
  std::vector<BrokerState> isr;
  std::vector<NodeId> members;
  LeaderEpoch leader_epoch;
  PartitionEpoch partition_epoch;
  std::int8_t recovery_state = 0;
};

Wish wish_of(const Request::PartitionData& data, std::int16_t version) {
  Wish wish;
  wish.leader_epoch = data.leader_epoch;
  wish.partition_epoch = data.partition_epoch;
  wish.recovery_state = data.leader_recovery_state;
  if (version >= 3) {
    wish.isr.assign(data.new_isr_with_epochs.begin(), data.new_isr_with_epochs.end());
  } else {
    for (NodeId node : data.new_isr) wish.isr.push_back({node, BrokerEpoch{-1}});
  }
  for (const BrokerState& member : wish.isr) wish.members.push_back(member.broker_id);
  return wish;
}

bool are_distinct_replicas(const Partition& partition, std::vector<NodeId> members) {
  std::ranges::sort(members);
  if (std::ranges::adjacent_find(members) != members.end()) return false;
  return std::ranges::all_of(members, [&](NodeId node) { return partition.is_replica(node); });
}

// A new member must be alive, and the very incarnation that the leader has seen catch up (KIP-841, KIP-903).
bool is_eligible(const HandlerContext& context, const Eligibility& eligibility, const BrokerState& member) {
  if (!eligibility.is_active(member.broker_id)) return false;
  if (member.broker_epoch == BrokerEpoch{-1}) return true;
  return is_current_broker(context.image.cluster(), member.broker_id, member.broker_epoch);
}

ErrorCode check(const HandlerContext& context, NodeId sender, const Partition& partition, const Wish& wish) {
  // A leader that is ahead of us has heard from a newer controller: this one has been deposed.
  if (wish.leader_epoch > partition.leader_epoch) return ErrorCode::not_controller;
  if (wish.partition_epoch > partition.partition_epoch) return ErrorCode::not_controller;
  if (wish.leader_epoch < partition.leader_epoch) return ErrorCode::fenced_leader_epoch;
  if (sender != partition.leader) return ErrorCode::invalid_request;
  if (wish.partition_epoch < partition.partition_epoch) return ErrorCode::invalid_update_version;
  if (!are_distinct_replicas(partition, wish.members)) return ErrorCode::invalid_request;
  if (!Partition::contains(wish.members, partition.leader)) return ErrorCode::invalid_request;
  if (wish.recovery_state != 0 && wish.recovery_state != 1) return ErrorCode::invalid_request;
  const bool recovering = wish.recovery_state == 1;
  if (recovering && wish.members.size() > 1) return ErrorCode::invalid_request;
  if (recovering && partition.leader_recovery_state == LeaderRecoveryState::recovered)
    return ErrorCode::invalid_request;
  const Eligibility eligibility(context);
  for (const BrokerState& member : wish.isr) {
    if (!is_eligible(context, eligibility, member)) return ErrorCode::ineligible_replica;
  }
  return ErrorCode::none;
}

void alter(NodeId sender, const Topic& topic, const Partition& partition, const Wish& wish, PartitionChanges& changes,
           Response::PartitionData& answer) {
  answer.error_code = check(changes.context(), sender, changes.now(partition), wish);
  if (answer.error_code != ErrorCode::none) return;
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(changes.now(partition), topic.id, eligibility, changes.rules_of(topic));
  builder.election(changes.election_of(topic))
      .target_isr(wish.members)
      .target_recovery_state(static_cast<LeaderRecoveryState>(wish.recovery_state));
  const LeaderEpoch epoch_before = changes.now(partition).leader_epoch;
  changes.add(partition, builder);
  const Partition& now = changes.now(partition);
  if (now.leader_epoch != epoch_before && now.leader != sender) {
    answer.error_code = ErrorCode::new_leader_elected;
    return;
  }
  answer.leader_id = now.leader;
  answer.leader_epoch = now.leader_epoch;
  answer.isr = Array<NodeId>::copy(changes.context().arena, now.isr());
  answer.leader_recovery_state = static_cast<std::int8_t>(now.leader_recovery_state);
  answer.partition_epoch = now.partition_epoch;
}

}  // namespace

Response alter_partition(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  if (request.topics.empty()) return response;  // nothing is asked: the epoch is not looked at either
  if (!is_current_broker(context.image.cluster(), request.broker_id, request.broker_epoch)) {
    response.error_code = ErrorCode::stale_broker_epoch;
    return response;
  }
  PartitionChanges changes(context, records);
  for (const auto& topic_data : request.topics) {
    auto& topic_answer = response.topics.push_back(context.arena);
    topic_answer.topic_id = topic_data.topic_id;
    const Topic* topic = context.image.topics().find(topic_data.topic_id);
    for (const auto& data : topic_data.partitions) {
      auto& answer = topic_answer.partitions.push_back(context.arena);
      answer.partition_index = data.partition_index;
      const Partition* partition =
          topic == nullptr ? nullptr : context.image.topics().partition(*topic, data.partition_index);
      if (topic == nullptr) {
        answer.error_code = ErrorCode::unknown_topic_id;
      } else if (partition == nullptr) {
        answer.error_code = ErrorCode::unknown_topic_or_partition;
      } else {
        alter(request.broker_id, *topic, *partition, wish_of(data, context.request.api_version), changes, answer);
      }
    }
  }
  return response;
}

}  // namespace hayward::core

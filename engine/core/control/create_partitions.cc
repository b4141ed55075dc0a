#include "engine/core/control/create_partitions.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/access.h"
#include "engine/core/control/api_fault.h"
#include "engine/core/control/eligibility.h"
#include "engine/core/control/new_partition.h"
#include "engine/core/control/replica_placer.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"

namespace hayward::core {
namespace {

using Request = messages::CreatePartitionsRequest;
using Response = messages::CreatePartitionsResponse;
using Wanted = Request::CreatePartitionsTopic;
using Assignment = std::vector<std::vector<NodeId>>;

void answer(const HandlerContext& context, std::string_view name, const ApiFault& why, Response& response) {
  auto& item = response.results.push_back(context.arena);
  item.name = name;
  item.error_code = why.code;
  item.error_message = text_of(why, context.arena);
}

Response all_failed(const HandlerContext& context, const Request& request, const ApiFault& why) {
  Response response;
  for (const auto& topic : request.topics) answer(context, topic.name, why, response);
  return response;
}

// The topic, and how many partitions it is to get.
struct Growth {
  const Topic* topic = nullptr;
  std::int64_t additional = 0;
  std::size_t replication_factor = 0;
};

std::expected<Growth, ApiFault> growth_of(const HandlerContext& context, const Wanted& wanted) {
  const Topics& topics = context.image.topics();
  const Topic* topic = topics.find(wanted.name);
  if (topic == nullptr) return std::unexpected(ApiFault{ErrorCode::unknown_topic_or_partition, std::nullopt});
  const auto present = static_cast<std::int64_t>(topic->slots.size());
  if (wanted.count <= present) {
    return std::unexpected(
        ApiFault{ErrorCode::invalid_partitions, "The topic has " + std::to_string(present) + " partition(s) already"});
  }
  const std::int64_t additional = wanted.count - present;
  if (!wanted.assignments.is_null() && static_cast<std::int64_t>(wanted.assignments.size()) != additional) {
    return std::unexpected(ApiFault{ErrorCode::invalid_replica_assignment,
                                    std::to_string(wanted.assignments.size()) + " assignment(s) are given for " +
                                        std::to_string(additional) + " new partition(s)"});
  }
  if (present == 0) return std::unexpected(ApiFault{ErrorCode::unknown_server_error, std::nullopt});
  return Growth{topic, additional, topics.at_slot(topic->slots.front()).replicas().size()};
}

std::expected<Assignment, ApiFault> assignment_given(const HandlerContext& context, const Eligibility& eligibility,
                                                     const Growth& growth, const Wanted& wanted) {
  Assignment assignment;
  for (const auto& given : wanted.assignments) {
    const std::span<const NodeId> replicas(given.broker_ids.begin(), given.broker_ids.size());
    if (auto why = check_assignment(context.image.cluster(), replicas, growth.replication_factor)) {
      return std::unexpected(*why);
    }
    if (std::ranges::none_of(replicas, [&](NodeId node) { return eligibility.is_active(node); })) {
      return std::unexpected(ApiFault{ErrorCode::invalid_replica_assignment, "No broker of an assignment is active"});
    }
    assignment.emplace_back(replicas.begin(), replicas.end());
  }
  return assignment;
}

std::expected<Assignment, ApiFault> assignment_placed(const HandlerContext& context, const Growth& growth) {
  ReplicaPlacer placer(context.image.cluster(), context.ineligible_brokers, context.prng);
  auto placed =
      placer.place(static_cast<std::size_t>(growth.additional), static_cast<std::int32_t>(growth.replication_factor));
  if (!placed) return std::unexpected(ApiFault{ErrorCode::invalid_replication_factor, placed.error()});
  return std::move(*placed);
}

// Adds the records of one topic's new partitions; a fault has added none.
std::optional<ApiFault> grow(const HandlerContext& context, const Growth& growth, const Wanted& wanted,
                             RecordList& records) {
  if (auto why = charge_mutations(context, static_cast<std::size_t>(growth.additional))) return why;
  const Eligibility eligibility(context);
  const auto assignment = wanted.assignments.is_null() ? assignment_placed(context, growth)
                                                       : assignment_given(context, eligibility, growth, wanted);
  if (!assignment) return assignment.error();
  const std::size_t before = records.size();
  PartitionIndex index{static_cast<std::int32_t>(growth.topic->slots.size())};
  for (const auto& replicas : *assignment) {
    if (!add_partition(eligibility, growth.topic->id, index, replicas, records)) {
      records.truncate(before);
      return ApiFault{ErrorCode::invalid_replication_factor, "No broker is active to lead a partition"};
    }
    ++index.value;
  }
  return std::nullopt;
}

}  // namespace

Response create_partitions(const HandlerContext& context, const Request& request, RecordList& records) {
  std::map<std::string_view, int> times_named;
  for (const auto& topic : request.topics) ++times_named[topic.name];

  Response response;
  const std::size_t before = records.size();
  std::int64_t additional = 0;  // of all topics: checked before anything is placed, so that it costs nothing
  for (const auto& topic : request.topics) {
    if (times_named[topic.name] > 1) continue;
    if (!is_allowed(context, AclOperation::alter, ResourceType::topic, topic.name)) {
      answer(context, topic.name, {ErrorCode::topic_authorization_failed, std::nullopt}, response);
      continue;
    }
    const auto growth = growth_of(context, topic);
    if (!growth) {
      answer(context, topic.name, growth.error(), response);
      continue;
    }
    additional += growth->additional;
    if (additional > static_cast<std::int64_t>(max_records_per_user_operation)) {
      records.truncate(before);
      return all_failed(context, request, too_many_records());
    }
    answer(context, topic.name, grow(context, *growth, topic, records).value_or(ApiFault{}), response);
  }
  for (const auto& [name, times] : times_named) {
    if (times > 1) answer(context, name, {ErrorCode::invalid_request, "The topic is in the request twice"}, response);
  }
  if (request.validate_only) records.truncate(before);
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

#include "engine/core/control/create_topics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/control/access.h"
#include "engine/core/control/config_changes.h"
#include "engine/core/control/new_partition.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/control/replica_placer.h"
#include "engine/core/control/resource_checks.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/image.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

using Request = messages::CreateTopicsRequest;
using Response = messages::CreateTopicsResponse;
using WantedTopic = Request::CreatableTopic;
// Replicas by partition.
using Assignment = std::vector<std::vector<NodeId>>;

ApiFault fault(ErrorCode code, std::string text) { return {code, std::move(text)}; }

void answer_fault(const HandlerContext& context, std::string_view name, const ApiFault& why, Response& response) {
  auto& item = response.topics.push_back(context.arena);
  item.name = name;
  item.error_code = why.code;
  item.error_message = text_of(why, context.arena);
}

Response all_failed(const HandlerContext& context, const Request& request, const ApiFault& why) {
  Response response;
  for (const auto& topic : request.topics) answer_fault(context, topic.name, why, response);
  return response;
}

// An upper bound, made out before any topic is looked at.
std::int64_t partitions_wanted(const HandlerContext& context, const WantedTopic& topic) {
  if (!topic.assignments.empty()) return static_cast<std::int64_t>(topic.assignments.size());
  if (topic.num_partitions == -1) return context.config.num_partitions;
  return std::max(topic.num_partitions, 0);
}

std::optional<ApiFault> check_name(const HandlerContext& context, std::string_view name) {
  if (auto why = why_illegal_topic_name(name)) return fault(ErrorCode::invalid_topic_exception, *why);
  const Topics& topics = context.image.topics();
  if (topics.find(name) != nullptr) {
    return fault(ErrorCode::topic_already_exists, "Topic '" + std::string(name) + "' already exists.");
  }
  if (const std::string* other = topics.colliding_name(name)) {
    return fault(ErrorCode::invalid_topic_exception,
                 "Metrics could not tell " + std::string(name) + " from the topic " + *other);
  }
  return std::nullopt;
}

std::expected<ConfigAlterations, ApiFault> configs_of(const WantedTopic& topic) {
  ConfigAlterations alterations;
  for (const auto& config : topic.configs) {
    if (!config.value)
      return std::unexpected(fault(ErrorCode::invalid_config, "No value for " + std::string(config.name)));
    alterations.insert_or_assign(config.name, ConfigAlteration{0, config.value});
  }
  return alterations;
}

std::expected<Assignment, ApiFault> assignment_given(const HandlerContext& context, const Eligibility& eligibility,
                                                     const WantedTopic& topic) {
  if (topic.replication_factor != -1 || topic.num_partitions != -1) {
    return std::unexpected(fault(ErrorCode::invalid_request,
                                 "Beside an assignment, the partition count and replication factor must be -1"));
  }
  std::map<PartitionIndex, std::span<const NodeId>> by_index;
  std::optional<std::size_t> replication_factor;
  for (const auto& given : topic.assignments) {
    const std::string index = std::to_string(given.partition_index.value);
    const std::span<const NodeId> replicas(given.broker_ids.begin(), given.broker_ids.size());
    if (!by_index.emplace(given.partition_index, replicas).second) {
      return std::unexpected(fault(ErrorCode::invalid_replica_assignment, "Partition " + index + " is assigned twice"));
    }
    if (auto why = check_assignment(context.image.cluster(), replicas, replication_factor))
      return std::unexpected(*why);
    replication_factor = replicas.size();
    if (std::ranges::none_of(replicas, [&](NodeId node) { return eligibility.is_active(node); })) {
      return std::unexpected(
          fault(ErrorCode::invalid_replica_assignment, "No broker assigned to partition " + index + " is active"));
    }
  }
  Assignment assignment;
  for (const auto& [index, replicas] : by_index) {
    if (index.value != static_cast<std::int32_t>(assignment.size())) {
      return std::unexpected(fault(ErrorCode::invalid_replica_assignment, "Partitions must be numbered 0, 1, 2 ..."));
    }
    assignment.emplace_back(replicas.begin(), replicas.end());
  }
  return assignment;
}

std::expected<Assignment, ApiFault> assignment_placed(const HandlerContext& context, const WantedTopic& topic) {
  if (topic.replication_factor < -1 || topic.replication_factor == 0) {
    return std::unexpected(
        fault(ErrorCode::invalid_replication_factor, "The replication factor must be above 0, or -1 for the default"));
  }
  if (topic.num_partitions < -1 || topic.num_partitions == 0) {
    return std::unexpected(
        fault(ErrorCode::invalid_partitions, "The partition count must be above 0, or -1 for the default"));
  }
  const std::int32_t replication_factor =
      topic.replication_factor == -1 ? context.config.default_replication_factor : topic.replication_factor;
  const std::int32_t partitions = topic.num_partitions == -1 ? context.config.num_partitions : topic.num_partitions;
  ReplicaPlacer placer(context.image.cluster(), context.ineligible_brokers, context.prng);
  auto placed = placer.place(static_cast<std::size_t>(partitions), replication_factor);
  if (!placed) return std::unexpected(fault(ErrorCode::invalid_replication_factor, placed.error()));
  return std::move(*placed);
}

// The whole effective config, by name; internal keys only where the topic sets them.
Array<Response::CreatableTopicConfigs> effective_configs(const HandlerContext& context, const WantedTopic& topic) {
  ConfigMap own;
  for (const auto& config : topic.configs) own.insert_or_assign(std::string(config.name), std::string(*config.value));
  const BrokerLayers layers = broker_layers(context);
  Array<Response::CreatableTopicConfigs> configs;
  for (const ConfigKey& key : topic_config_keys()) {
    if (key.internal && !own.contains(key.name)) continue;
    const EffectiveConfig effective = effective_topic_config(key, &own, layers);
    auto& config = configs.push_back(context.arena);
    config.name = key.name;
    config.value = std::nullopt;
    if (effective.value) config.value = context.arena.copy(*effective.value);
    config.config_source = static_cast<std::int8_t>(effective.source);
  }
  return configs;
}

// A record with an id that is there already could not be applied (C18), so a poor seed must not end the node.
TopicId unused_topic_id(const HandlerContext& context) {
  TopicId id{context.prng.uuid()};
  while (context.image.topics().find(id) != nullptr) id = TopicId{context.prng.uuid()};
  return id;
}

// Adds the topic's records; a fault has added none.
std::optional<ApiFault> create_topic(const HandlerContext& context, const WantedTopic& topic, RecordList& records,
                                     Response& response) {
  if (auto why = check_name(context, topic.name)) return why;
  const auto configs = configs_of(topic);
  if (!configs) return configs.error();
  const std::size_t before = records.size();
  records::TopicRecord record;
  record.name = topic.name;
  record.topic_id = unused_topic_id(context);
  records.add(record);
  StaleElrs stale_elrs;
  const ConfigResource resource{ConfigResourceType::topic, std::string(topic.name)};
  if (!configs->empty()) {
    if (auto why = alter_configs(context, resource, *configs, true, records, stale_elrs)) {
      records.truncate(before);
      return why;
    }
  }
  stale_elrs.add_records(records);
  const Eligibility eligibility(context);
  const auto assignment =
      topic.assignments.empty() ? assignment_placed(context, topic) : assignment_given(context, eligibility, topic);
  if (!assignment) {
    records.truncate(before);
    return assignment.error();
  }
  for (std::size_t i = 0; i < assignment->size(); ++i) {
    const PartitionIndex index{static_cast<std::int32_t>(i)};
    if (add_partition(eligibility, record.topic_id, index, (*assignment)[i], records)) continue;
    records.truncate(before);
    return fault(ErrorCode::invalid_replication_factor, "No broker is active to lead a partition");
  }
  if (auto why = charge_mutations(context, assignment->size())) {
    records.truncate(before);
    return why;
  }
  auto& item = response.topics.push_back(context.arena);
  item.name = topic.name;
  item.topic_id = record.topic_id;
  item.error_message = std::nullopt;
  if (!is_allowed(context, AclOperation::describe_configs, ResourceType::topic, topic.name)) {
    item.topic_config_error_code = ErrorCode::topic_authorization_failed;
    return std::nullopt;
  }
  item.num_partitions = static_cast<std::int32_t>(assignment->size());
  item.replication_factor = static_cast<std::int16_t>(assignment->front().size());
  item.configs = effective_configs(context, topic);
  return std::nullopt;
}

}  // namespace

Response create_topics(const HandlerContext& context, const Request& request, RecordList& records) {
  std::map<std::string_view, int> times_named;
  for (const auto& topic : request.topics) ++times_named[topic.name];
  const bool may_create_all = is_allowed_on_cluster(context, AclOperation::create);
  const auto may_create = [&](std::string_view name) {
    return may_create_all || is_allowed(context, AclOperation::create, ResourceType::topic, name);
  };
  const auto is_tried = [&](std::string_view name) {
    return times_named[name] == 1 && name != metadata_topic_name && may_create(name);
  };

  std::int64_t partitions = 0;
  for (const auto& topic : request.topics) {
    if (is_tried(topic.name)) partitions += partitions_wanted(context, topic);
  }
  if (partitions > static_cast<std::int64_t>(max_records_per_user_operation)) {
    return all_failed(context, request, too_many_records());
  }

  Response response;
  const std::size_t before = records.size();
  for (const auto& topic : request.topics) {
    if (!is_tried(topic.name)) continue;
    if (auto why = create_topic(context, topic, records, response)) answer_fault(context, topic.name, *why, response);
  }
  if (records.size() - before > max_records_per_user_operation) {
    records.truncate(before);
    return all_failed(context, request, too_many_records());
  }
  for (const auto& [name, times] : times_named) {
    if (times > 1) {
      answer_fault(context, name, fault(ErrorCode::invalid_request, "The topic is in the request twice"), response);
    } else if (name == metadata_topic_name) {
      answer_fault(context, name, fault(ErrorCode::invalid_request, "The metadata log is not a topic to be created"),
                   response);
    } else if (!may_create(name)) {
      answer_fault(context, name, fault(ErrorCode::topic_authorization_failed, "The caller may not create it"),
                   response);
    }
  }
  if (request.validate_only) records.truncate(before);
  records.set_atomic();
  return response;
}

}  // namespace hayward::core

// Records about topics and partitions.
// Owner: engine/core/image. Shard 0.
#include <algorithm>
#include <limits>

#include "engine/core/image/replay.h"
#include "schemas/records/clear_elr_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

constexpr NodeId no_leader_change{-2};

std::string text(TopicId id, PartitionIndex index) {
  return "partition " + std::to_string(index.value) + " of topic id " + id.to_string();
}

std::expected<const Topic*, Mismatch> find_topic(const Topics& topics, TopicId id) {
  if (const Topic* topic = topics.find(id)) return topic;
  return mismatch("topic id " + id.to_string(), "no such topic");
}

bool is_recovery_state(std::int8_t value) { return value == 0 || value == 1; }

// Directories as they are stored: one per replica, MIGRATING throughout where none is known.
std::expected<void, Mismatch> set_directories(Partition& partition, std::span<const DirectoryId> directories) {
  const std::size_t replicas = partition.replicas().size();
  const bool migrating = std::ranges::all_of(directories, [](DirectoryId d) { return d == directory_migrating; });
  if (migrating) {
    partition.set_directories(std::vector<DirectoryId>(replicas, directory_migrating));
    return {};
  }
  if (directories.size() != replicas) {
    return mismatch("one directory for each of " + std::to_string(replicas) + " replicas",
                    std::to_string(directories.size()) + " directories");
  }
  partition.set_directories(directories);
  return {};
}

// What PartitionChange and ClearElr have in common.
std::expected<Partition, Mismatch> next_of(const Partition& before, bool new_leader_epoch) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  if (before.partition_epoch.value == most || (new_leader_epoch && before.leader_epoch.value == most)) {
    return mismatch("epochs below 2147483647", "an epoch that cannot rise");
  }
  Partition next = before;
  ++next.partition_epoch.value;
  if (new_leader_epoch) ++next.leader_epoch.value;
  return next;
}

}  // namespace

std::expected<Partition, Mismatch> merge(const Partition& before, const records::PartitionChangeRecord& record) {
  const bool new_leader = record.leader != no_leader_change;
  auto next = next_of(before, new_leader);
  if (!next) return next;
  if (new_leader) next->leader = record.leader;
  if (record.leader_recovery_state != -1) {
    next->leader_recovery_state = static_cast<LeaderRecoveryState>(record.leader_recovery_state);
  }
  if (!record.isr.is_null()) next->set_isr(record.isr);
  if (!record.replicas.is_null()) next->set_replicas(record.replicas);
  if (!record.removing_replicas.is_null()) next->set_removing_replicas(record.removing_replicas);
  if (!record.adding_replicas.is_null()) next->set_adding_replicas(record.adding_replicas);
  if (!record.eligible_leader_replicas.is_null()) next->set_elr(record.eligible_leader_replicas);
  if (!record.last_known_elr.is_null()) next->set_last_known_elr(record.last_known_elr);
  if (!record.directories.is_null() || !record.replicas.is_null()) {
    const auto set = set_directories(
        *next, record.directories.is_null() ? before.directories() : std::span<const DirectoryId>(record.directories));
    if (!set) return std::unexpected(set.error());
  }
  return next;
}

Applied apply(ReplayContext& context, const records::TopicRecord& record) {
  const Topics& topics = context.parts.topics;
  const std::string expected = "new topic " + std::string(record.name) + " with id " + record.topic_id.to_string();
  if (const Topic* other = topics.find(record.name)) return mismatch(expected, "the name has id " + other->id.to_string());
  if (const Topic* other = topics.find(record.topic_id)) return mismatch(expected, "the id is topic " + other->name);
  if (topics.next_ordinal() == std::numeric_limits<TopicOrdinal>::max()) {
    return mismatch("fewer than 2^32 topics since start-up", "none left");
  }
  auto topic = std::make_unique<DetachedTopic>();
  topic->id = record.topic_id;
  topic->name = std::string(record.name);
  context.make(TopicChange{topics.next_ordinal(), std::move(topic)});
  return {};
}

Applied apply(ReplayContext& context, const records::PartitionRecord& record) {
  const auto topic = find_topic(context.parts.topics, record.topic_id);
  if (!topic) return std::unexpected(topic.error());
  if (!is_recovery_state(record.leader_recovery_state)) {
    return mismatch("LeaderRecoveryState of 0 or 1", std::to_string(record.leader_recovery_state));
  }
  Partition partition;
  partition.topic = (*topic)->ordinal;
  partition.index = record.partition_id;
  partition.leader = record.leader;
  partition.leader_epoch = record.leader_epoch;
  partition.partition_epoch = record.partition_epoch;
  partition.leader_recovery_state = static_cast<LeaderRecoveryState>(record.leader_recovery_state);
  partition.set_replicas(record.replicas);
  partition.set_isr(record.isr);
  partition.set_removing_replicas(record.removing_replicas);
  partition.set_adding_replicas(record.adding_replicas);
  partition.set_elr(record.eligible_leader_replicas);
  partition.set_last_known_elr(record.last_known_elr);
  if (!record.directories.empty() && record.directories.size() != record.replicas.size()) {
    return mismatch("one directory for each of " + std::to_string(record.replicas.size()) + " replicas",
                    std::to_string(record.directories.size()) + " directories");
  }
  if (const auto set = set_directories(partition, record.directories); !set) return set;
  context.make(PartitionChange{(*topic)->ordinal, record.partition_id, std::move(partition)});
  return {};
}

Applied apply(ReplayContext& context, const records::PartitionChangeRecord& record) {
  const auto topic = find_topic(context.parts.topics, record.topic_id);
  if (!topic) return std::unexpected(topic.error());
  const Partition* before = context.parts.topics.partition(**topic, record.partition_id);
  if (!before) return mismatch(text(record.topic_id, record.partition_id), "no such partition");
  if (record.leader_recovery_state != -1 && !is_recovery_state(record.leader_recovery_state)) {
    return mismatch("LeaderRecoveryState of -1, 0 or 1", std::to_string(record.leader_recovery_state));
  }
  if (!record.replicas.is_null() && !record.directories.empty() && record.directories.size() != record.replicas.size()) {
    return mismatch("one directory for each of " + std::to_string(record.replicas.size()) + " replicas",
                    std::to_string(record.directories.size()) + " directories");
  }
  auto next = merge(*before, record);
  if (!next) return std::unexpected(std::move(next.error()));
  context.make(PartitionChange{(*topic)->ordinal, record.partition_id, std::move(*next)});
  return {};
}

Applied apply(ReplayContext& context, const records::RemoveTopicRecord& record) {
  const auto topic = find_topic(context.parts.topics, record.topic_id);
  if (!topic) return std::unexpected(topic.error());
  const TopicOrdinal ordinal = (*topic)->ordinal;
  const ConfigResource resource{ConfigResourceType::topic, (*topic)->name};
  const ConfigMap configs = context.parts.configs.of(resource.type, resource.name);
  for (const auto& [key, value] : configs) context.make(ConfigChange{resource, key, std::nullopt});
  context.make(TopicChange{ordinal, nullptr});
  return {};
}

namespace {

// Adds what empties the ELR and last known ELR of the topic's partitions that have any.
Applied add_clearing(const Topics& topics, const Topic& topic, std::vector<Partition>& cleared) {
  for (const std::uint32_t slot : topic.slots) {
    const Partition& before = topics.at_slot(slot);
    if (before.elr().empty() && before.last_known_elr().empty()) continue;
    auto next = next_of(before, false);
    if (!next) return std::unexpected(std::move(next.error()));
    next->set_elr({});
    next->set_last_known_elr({});
    cleared.push_back(std::move(*next));
  }
  return {};
}

}  // namespace

Applied apply(ReplayContext& context, const records::ClearElrRecord& record) {
  const Topics& topics = context.parts.topics;
  std::vector<Partition> cleared;
  if (!record.topic_name.empty()) {
    const Topic* topic = topics.find(record.topic_name);
    if (!topic) return mismatch("topic " + std::string(record.topic_name), "no such topic");
    if (Applied added = add_clearing(topics, *topic, cleared); !added) return added;
  } else {
    for (const auto& [ordinal, topic] : topics.all()) {
      if (Applied added = add_clearing(topics, topic, cleared); !added) return added;
    }
  }
  for (Partition& partition : cleared) {
    const TopicOrdinal topic = partition.topic;
    const PartitionIndex index = partition.index;
    context.make(PartitionChange{topic, index, std::move(partition)});
  }
  return {};
}

}  // namespace hayward::core

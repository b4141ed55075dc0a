// See cluster.h.
#include "cluster.h"

#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

std::vector<NodeId> node_list(const Ids& wanted) {
  std::vector<NodeId> nodes;
  for (std::int32_t id : wanted) nodes.push_back(NodeId{id});
  return nodes;
}

Array<NodeId> node_array(Arena& arena, const Ids& wanted) { return Array<NodeId>::copy(arena, node_list(wanted)); }

std::vector<FeatureRange> all_features() {
  return {{"metadata.version", 7, 30},  {"kraft.version", 0, 1}, {"eligible.leader.replicas.version", 0, 1},
          {"group.version", 0, 1},      {"share.version", 0, 1}, {"streams.version", 0, 1},
          {"transaction.version", 0, 2}};
}

std::string list_text(std::span<const NodeId> nodes) {
  std::string text = "[";
  for (NodeId node : nodes) text += (text.size() > 1 ? " " : "") + std::to_string(node.value);
  return text + "]";
}

}  // namespace

Ids ids(std::span<const NodeId> nodes) {
  Ids numbers;
  for (NodeId node : nodes) numbers.push_back(node.value);
  return numbers;
}

TestCluster::TestCluster(Options options) {
  config.node_id = NodeId{3000};
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = options.metadata_version;
  RecordList first(Offset{0}, MetadataVersion{options.metadata_version}, false);
  first.add(level);
  if (options.elr) {
    level.name = "eligible.leader.replicas.version";
    level.feature_level = 1;
    first.add(level);
  }
  replay(first);
  for (int id = 1; id <= options.brokers; ++id) add_broker({.id = id});
}

template <class Record>
void TestCluster::write(const Record& record) {
  RecordList records(next_offset(), image.features());
  records.add(record);
  replay(records);
}

void TestCluster::replay(const RecordList& records) {
  lines.clear();
  for (std::size_t i = 0; i < records.size(); ++i) {
    lines.push_back(describe(records[i], image));
    const auto replayed = image.replay(records[i], next_offset());
    ASSERT_TRUE(replayed.has_value()) << lines.back() << ": " << replayed.error().to_string();
  }
  const auto broken = check(image);
  EXPECT_FALSE(broken.has_value()) << broken.value_or("");
  const auto went_back = history_.observe(image);
  EXPECT_FALSE(went_back.has_value()) << went_back.value_or("");
}

void TestCluster::add_broker(const Broker& broker) {
  records::RegisterBrokerRecord record;
  record.broker_id = NodeId{broker.id};
  record.broker_epoch = BrokerEpoch{next_offset().value};
  record.incarnation_id = IncarnationId{Uuid{1, static_cast<std::uint64_t>(next_offset().value) + 1}};
  record.fenced = broker.fenced;
  record.in_controlled_shutdown = broker.shutting_down;
  if (broker.rack)
    record.rack = *broker.rack;
  else
    record.rack = std::nullopt;
  for (const FeatureRange& range : broker.features.empty() ? all_features() : broker.features) {
    auto& feature = record.features.push_back(arena);
    feature.name = arena.copy(range.name);
    feature.min_supported_version = range.min;
    feature.max_supported_version = range.max;
  }
  const MetadataVersion version = *image.features().metadata_version();
  const std::vector<DirectoryId> one = {directory(static_cast<std::uint64_t>(broker.id) * 100)};
  if (version.directory_assignment()) {
    record.log_dirs = Array<DirectoryId>::copy(arena, broker.dirs.empty() ? one : broker.dirs);
  }
  if (broker.cordoned && version.cordoned_log_dirs()) {
    record.cordoned_log_dirs = Array<DirectoryId>::copy(arena, *broker.cordoned);
  }
  write(record);
}

void TestCluster::add_controller(std::int32_t id, const std::vector<FeatureRange>& features) {
  records::RegisterControllerRecord record;
  record.controller_id = NodeId{id};
  for (const FeatureRange& range : features) {
    auto& feature = record.features.push_back(arena);
    feature.name = arena.copy(range.name);
    feature.min_supported_version = range.min;
    feature.max_supported_version = range.max;
  }
  write(record);
}

void TestCluster::mark_fenced(std::int32_t broker, bool fenced) {
  records::BrokerRegistrationChangeRecord record;
  record.broker_id = NodeId{broker};
  record.broker_epoch = epoch_of(broker);
  record.fenced = fenced ? 1 : -1;
  write(record);
}

void TestCluster::fence(const Ids& brokers) {
  const std::vector<NodeId> leaving = node_list(brokers);
  run([&](const HandlerContext& context, RecordList& records) {
    PartitionChanges changes(context, records);
    generate_leader_and_isr_updates({.leaving = leaving}, changes);
    for (NodeId id : leaving) {
      records::BrokerRegistrationChangeRecord record;
      record.broker_id = id;
      record.broker_epoch = epoch_of(id.value);
      record.fenced = 1;
      records.add(record);
    }
    return 0;
  });
}

void TestCluster::unfence(std::int32_t broker) {
  run([&](const HandlerContext& context, RecordList& records) {
    records::BrokerRegistrationChangeRecord record;
    record.broker_id = NodeId{broker};
    record.broker_epoch = epoch_of(broker);
    record.fenced = -1;
    records.add(record);
    PartitionChanges changes(context, records);
    const NodeId joining[] = {NodeId{broker}};
    generate_leader_and_isr_updates({.joining = joining}, changes);
    return 0;
  });
}

void TestCluster::lose_unclean(std::int32_t broker) {
  run([&](const HandlerContext& context, RecordList& records) {
    PartitionChanges changes(context, records);
    const NodeId lost[] = {NodeId{broker}};
    generate_leader_and_isr_updates({.unclean = lost}, changes);
    records::BrokerRegistrationChangeRecord record;
    record.broker_id = NodeId{broker};
    record.broker_epoch = epoch_of(broker);
    record.fenced = 1;
    records.add(record);
    return 0;
  });
}

TopicId TestCluster::add_topic(std::string_view name, const PartitionState& state) {
  RecordList records(next_offset(), image.features());
  records::TopicRecord topic;
  topic.name = name;
  topic.topic_id = TopicId{Uuid{5, next_topic_++}};
  records.add(topic);
  records::PartitionRecord record;
  record.partition_id = PartitionIndex{0};
  record.topic_id = topic.topic_id;
  record.replicas = node_array(arena, state.replicas);
  record.isr = node_array(arena, state.isr);
  record.adding_replicas = node_array(arena, state.adding);
  record.removing_replicas = node_array(arena, state.removing);
  record.leader = NodeId{state.leader.value_or(state.isr.empty() ? -1 : state.isr.front())};
  record.leader_recovery_state = state.recovering ? 1 : 0;
  record.leader_epoch = LeaderEpoch{0};
  record.partition_epoch = PartitionEpoch{0};
  if (records.metadata_version().directory_assignment()) {
    for (std::int32_t id : state.replicas) record.directories.push_back(arena, image.cluster().default_dir(NodeId{id}));
  }
  if (!state.elr.empty()) record.eligible_leader_replicas = node_array(arena, state.elr);
  if (!state.last_known.empty()) record.last_known_elr = node_array(arena, state.last_known);
  records.add(record);
  replay(records);
  return topic.topic_id;
}

void TestCluster::set_config(std::int8_t type, std::string_view resource, std::string_view key,
                             std::string_view value) {
  records::ConfigRecord record;
  record.resource_type = type;
  record.resource_name = resource;
  record.name = key;
  record.value = value;
  write(record);
}

const Topic& TestCluster::topic(std::string_view name) const { return *image.topics().find(name); }

const Partition& TestCluster::partition(std::string_view name, std::int32_t index) const {
  return *image.topics().partition(topic(name), PartitionIndex{index});
}

std::string TestCluster::state(std::string_view name, std::int32_t index) const {
  const Partition& now = partition(name, index);
  std::string text = "leader " + std::to_string(now.leader.value) + " epoch " + std::to_string(now.leader_epoch.value) +
                     "/" + std::to_string(now.partition_epoch.value) + " isr " + list_text(now.isr());
  if (!now.elr().empty()) text += " elr " + list_text(now.elr());
  if (!now.last_known_elr().empty()) text += " last_known " + list_text(now.last_known_elr());
  if (now.leader_recovery_state == LeaderRecoveryState::recovering) text += " recovering";
  return text;
}

}  // namespace hayward::core

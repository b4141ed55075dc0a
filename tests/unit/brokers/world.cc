// See world.h.
#include "world.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/control/fence_brokers.h"
#include "engine/core/lease/lease_mail.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/no_op_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

constexpr std::int64_t session_ms = 9000;

Array<NodeId> node_array(Arena& arena, const std::vector<std::int32_t>& ids) {
  Array<NodeId> nodes;
  for (const std::int32_t id : ids) nodes.push_back(arena, NodeId{id});
  return nodes;
}

}  // namespace

World::World(Options options) : leases(session_ms * 1'000'000, {0}), kraft_version(options.kraft_version) {
  config.node_id = NodeId{100};
  config.cluster_id = test_cluster_id;
  RecordList list(Offset{0}, MetadataVersion{options.metadata_version}, false);
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = options.metadata_version;
  list.add(level);
  if (options.elr) {
    level.name = "eligible.leader.replicas.version";
    level.feature_level = 1;
    list.add(level);
  }
  replay(list);
  states.activate(image.cluster(), epoch_, now(), effects);
  carry_out_effects();
}

RecordList World::new_list() const {
  return {Offset{log_end()}, *image.features().metadata_version(), image.features().elr_enabled()};
}

void World::replay(const RecordList& list) {
  records.clear();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Offset offset{list.base().value + static_cast<std::int64_t>(i)};
    records.push_back(describe(list[i], image));
    const auto replayed = image.replay(list[i], offset);
    ASSERT_TRUE(replayed.has_value()) << records.back() << " cannot be replayed";
  }
}

void World::carry_out_effects() {
  for (const Effect& effect : effects) apply_lease_order(leases, access, effect);
}

messages::BrokerRegistrationRequest World::registration(std::int32_t id, std::uint64_t incarnation_number) {
  messages::BrokerRegistrationRequest request;
  request.broker_id = NodeId{id};
  request.cluster_id = test_cluster_id;
  request.incarnation_id = incarnation(incarnation_number);
  auto& endpoint = request.listeners.push_back(arena);
  endpoint.name = "PLAINTEXT";
  endpoint.host = "localhost";
  endpoint.port = 9092;
  for (const auto& [name, min, max] : {std::tuple{"metadata.version", 7, 30}, std::tuple{"kraft.version", 0, 1},
                                       std::tuple{"eligible.leader.replicas.version", 0, 1}}) {
    auto& feature = request.features.push_back(arena);
    feature.name = name;
    feature.min_supported_version = static_cast<std::int16_t>(min);
    feature.max_supported_version = static_cast<std::int16_t>(max);
  }
  request.log_dirs.push_back(arena, directory(static_cast<std::uint64_t>(id)));
  return request;
}

messages::BrokerRegistrationResponse World::registered(const messages::BrokerRegistrationRequest& request) {
  const auto outcome = call(4, [&](const HandlerContext& context, RecordList& list) {
    return hayward::core::register_broker(context, states, kraft_version, request, list);
  });
  if (outcome.new_incarnation) states.forget(request.broker_id, effects);
  carry_out_effects();
  return outcome.response;
}

BrokerEpoch World::register_broker(std::int32_t id, std::uint64_t incarnation_number) {
  const auto response = registered(registration(id, incarnation_number));
  EXPECT_EQ(response.error_code, ErrorCode::none);
  return response.broker_epoch;
}

BrokerEpoch World::start_broker(std::int32_t id, std::uint64_t incarnation_number) {
  const BrokerEpoch epoch = register_broker(id, incarnation_number);
  EXPECT_FALSE(beat(heartbeat(id)).is_fenced);
  return epoch;
}

messages::BrokerHeartbeatRequest World::heartbeat(std::int32_t id) {
  messages::BrokerHeartbeatRequest request;
  request.broker_id = NodeId{id};
  if (const auto* registration = image.cluster().broker(NodeId{id})) request.broker_epoch = registration->epoch;
  request.current_metadata_offset = image.last_offset();
  return request;
}

messages::BrokerHeartbeatResponse World::beat(const messages::BrokerHeartbeatRequest& request) {
  leases.observe(now());
  leases.touch({request.broker_id, request.broker_epoch}, request.current_metadata_offset, Offset{log_end()}, now());
  const auto outcome = call(2, [&](const HandlerContext& context, RecordList& list) {
    return broker_heartbeat(context, states, request, list);
  });
  if (outcome.update) states.apply(*outcome.update, effects);
  carry_out_effects();
  return outcome.response;
}

messages::UnregisterBrokerResponse World::unregister(std::int32_t id) {
  messages::UnregisterBrokerRequest request;
  request.broker_id = NodeId{id};
  const auto response = call(0, [&](const HandlerContext& context, RecordList& list) {
    return unregister_broker(context, request, list).response;
  });
  if (response.error_code == ErrorCode::none) states.forget(request.broker_id, effects);
  carry_out_effects();
  return response;
}

void World::add_topic(std::uint64_t n, const PartitionSpec& spec) {
  RecordList list = new_list();
  records::TopicRecord topic;
  const std::string name = "t" + std::to_string(n);
  topic.name = name;
  topic.topic_id = topic_id(n);
  list.add(topic);
  records::PartitionRecord record;
  record.partition_id = PartitionIndex{0};
  record.topic_id = topic.topic_id;
  record.replicas = node_array(arena, spec.replicas);
  record.isr = node_array(arena, spec.isr);
  const std::int32_t first = spec.isr.empty() ? -1 : spec.isr[0];
  record.leader = NodeId{spec.leader == -2 ? first : spec.leader};
  record.leader_epoch = LeaderEpoch{0};
  record.partition_epoch = PartitionEpoch{0};
  if (image.features().metadata_version()->directory_assignment()) {
    for (std::size_t i = 0; i < spec.replicas.size(); ++i) {
      const DirectoryId own = directory(static_cast<std::uint64_t>(spec.replicas[i]));
      record.directories.push_back(arena, spec.directories.empty() ? own : spec.directories[i]);
    }
  }
  if (!spec.elr.empty()) record.eligible_leader_replicas = node_array(arena, spec.elr);
  list.add(record);
  replay(list);
}

void World::set_topic_config(std::uint64_t n, std::string_view key, std::string_view value) {
  RecordList list = new_list();
  records::ConfigRecord record;
  record.resource_type = 2;
  const std::string topic = "t" + std::to_string(n);
  record.resource_name = topic;
  record.name = key;
  record.value = value;
  list.add(record);
  replay(list);
}

const Partition& World::partition(std::uint64_t n) const {
  return *image.topics().partition(topic_id(n), PartitionIndex{0});
}

const BrokerRegistration& World::broker(std::int32_t id) const { return *image.cluster().broker(NodeId{id}); }

std::vector<std::int32_t> World::pass_ms(std::int64_t ms) {
  std::vector<std::int32_t> fenced;
  Lines all;
  const std::int64_t end_ms = now_ms_ + ms;
  while (now_ms_ < end_ms) {
    const std::int64_t step_ms = std::min<std::int64_t>(end_ms - now_ms_, 5);
    now_ms_ += step_ms;
    leases.observe(now());
    const auto mail = leases.expire(now());
    if (!mail) continue;
    const auto brokers = states.take_expired(*mail);
    call(0, [&](const HandlerContext& context, RecordList& list) { return fence_brokers(context, brokers, list); });
    for (const BrokerIncarnation& broker : brokers) fenced.push_back(broker.id.value);
    all.insert(all.end(), records.begin(), records.end());
  }
  records = all;
  return fenced;
}

void World::fail_over() {
  effects.clear();
  states.deactivate(effects);
  epoch_ = Epoch{epoch_.value + 1};
  states.activate(image.cluster(), epoch_, now(), effects);
  carry_out_effects();
}

void World::write_no_ops(int count) {
  RecordList list = new_list();
  for (int i = 0; i < count; ++i) list.add(records::NoOpRecord{});
  replay(list);
}

}  // namespace hayward::core

// Random operations on a small cluster: after each, every invariant of the image holds (C1-C8, C17, C18, checked
// by the fixture), nothing stale changes anything (C9), and repeating a step that has been taken writes nothing.
#include <gtest/gtest.h>

#include <functional>

#include "cluster.h"
#include "engine/core/control/alter_partition.h"
#include "engine/core/control/assign_replicas_to_dirs.h"
#include "engine/core/control/create_partitions.h"
#include "engine/core/control/create_topics.h"
#include "engine/core/control/delete_topics.h"
#include "engine/core/control/incremental_alter_configs.h"

namespace hayward::core {
namespace {

class RandomDay {
 public:
  RandomDay(std::uint64_t seed, bool elr) : prng_(seed), cluster_({.elr = elr, .brokers = brokers}) {}

  void step() {
    constexpr int kinds = 11;
    switch (prng_.below(kinds)) {
      case 0:
        create();
        break;
      case 1:
        remove();
        break;
      case 2:
        grow();
        break;
      case 3:
        fence();
        break;
      case 4:
        unfence();
        break;
      case 5:
        lose();
        break;
      case 6:
        configure();
        break;
      case 7:
        assign();
        break;
      case 8:
        elect();
        break;
      default:
        alter();
        break;
    }
  }
  std::uint64_t state() const { return cluster_.image.hash(); }
  int accepted() const { return accepted_; }

 private:
  static constexpr int brokers = 5;

  std::int32_t any_broker() { return static_cast<std::int32_t>(1 + prng_.below(brokers)); }
  bool is_fenced(std::int32_t id) { return cluster_.image.cluster().broker(NodeId{id})->fenced; }
  const Partition* any_partition() {
    const auto all = cluster_.image.topics().replica_of(NodeId{any_broker()});
    if (all.empty()) return nullptr;
    auto skip = prng_.below(all.size());
    for (const Partition& partition : all) {
      if (skip-- == 0) return &partition;
    }
    return nullptr;
  }
  std::string name() { return "t" + std::to_string(prng_.below(8)); }

  void create() {
    messages::CreateTopicsRequest request;
    auto& topic = request.topics.push_back(cluster_.arena);
    topic.name = cluster_.arena.copy(name());
    topic.num_partitions = static_cast<std::int32_t>(1 + prng_.below(4));
    topic.replication_factor = static_cast<std::int16_t>(1 + prng_.below(3));
    if (prng_.chance(1, 2)) {
      auto& config = topic.configs.push_back(cluster_.arena);
      config.name = "min.insync.replicas";
      config.value = cluster_.arena.copy(std::to_string(1 + prng_.below(3)));
    }
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return create_topics(c, request, r); });
  }
  void remove() {
    messages::DeleteTopicsRequest request;
    request.topics.push_back(cluster_.arena).name = cluster_.arena.copy(name());
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return delete_topics(c, request, r); });
  }
  void grow() {
    messages::CreatePartitionsRequest request;
    auto& topic = request.topics.push_back(cluster_.arena);
    topic.name = cluster_.arena.copy(name());
    topic.count = static_cast<std::int32_t>(prng_.below(6));
    topic.assignments = Array<messages::CreatePartitionsRequest::CreatePartitionsAssignment>::null();
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return create_partitions(c, request, r); });
  }
  void fence() {
    Ids chosen;
    for (std::int32_t id = 1; id <= brokers; ++id) {
      if (!is_fenced(id) && prng_.chance(1, 3)) chosen.push_back(id);
    }
    if (chosen.empty()) return;
    cluster_.fence(chosen);
    for (std::int32_t id : chosen) EXPECT_TRUE(cluster_.image.topics().led_by(NodeId{id}).empty());
  }
  void unfence() {
    const std::int32_t id = any_broker();
    if (is_fenced(id)) cluster_.unfence(id);
  }
  void lose() {
    const std::int32_t id = any_broker();
    if (is_fenced(id)) return;
    if (cluster_.image.features().elr_enabled())
      cluster_.lose_unclean(id);
    else
      cluster_.fence({id});
  }
  void configure() {
    messages::IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.push_back(cluster_.arena);
    const bool of_topic = prng_.chance(2, 3);
    resource.resource_type = of_topic ? 2 : 4;
    resource.resource_name = of_topic ? cluster_.arena.copy(name()) : std::string_view();
    auto& config = resource.configs.push_back(cluster_.arena);
    if (prng_.chance(1, 2)) {
      config.name = "min.insync.replicas";
      config.value = cluster_.arena.copy(std::to_string(1 + prng_.below(3)));
    } else {
      config.name = "unclean.leader.election.enable";
      config.value = prng_.chance(1, 2) ? "true" : "false";
    }
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return incremental_alter_configs(c, request, r); });
  }
  void assign() {
    const Partition* partition = any_partition();
    if (partition == nullptr) return;
    messages::AssignReplicasToDirsRequest request;
    request.broker_id = NodeId{any_broker()};
    request.broker_epoch = cluster_.epoch_of(request.broker_id.value);
    auto& dir = request.directories.push_back(cluster_.arena);
    dir.id = prng_.chance(1, 4) ? directory_lost : directory(static_cast<std::uint64_t>(request.broker_id.value) * 100);
    auto& topic = dir.topics.push_back(cluster_.arena);
    topic.topic_id = cluster_.image.topics().topic_of(*partition).id;
    topic.partitions.push_back(cluster_.arena).partition_index = partition->index;
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return assign_replicas_to_dirs(c, request, r); });
    cluster_.run([&](const HandlerContext& c, RecordList& r) { return assign_replicas_to_dirs(c, request, r); });
    EXPECT_TRUE(cluster_.lines.empty()) << cluster_.lines[0];
  }
  void elect() {
    const auto both = [](const HandlerContext& c, RecordList& r) {
      PartitionChanges changes(c, r);
      elect_unclean_leaders(0, SIZE_MAX, changes);
      elect_preferred_leaders(0, SIZE_MAX, changes);
      return 0;
    };
    cluster_.run(both);
    cluster_.run(both);
    EXPECT_TRUE(cluster_.lines.empty()) << cluster_.lines[0];
  }
  void alter() {
    const Partition* partition = any_partition();
    if (partition == nullptr) return;
    const Partition before = *partition;
    messages::AlterPartitionRequest request;
    request.broker_id = prng_.chance(9, 10) && before.has_leader() ? before.leader : NodeId{any_broker()};
    request.broker_epoch = cluster_.epoch_of(request.broker_id.value);
    auto& topic = request.topics.push_back(cluster_.arena);
    const TopicId topic_id = cluster_.image.topics().topic_of(*partition).id;
    topic.topic_id = topic_id;
    auto& data = topic.partitions.push_back(cluster_.arena);
    data.partition_index = before.index;
    const auto wobble = [&] { return prng_.chance(1, 12) ? static_cast<std::int32_t>(prng_.below(3)) - 1 : 0; };
    data.leader_epoch = LeaderEpoch{before.leader_epoch.value + wobble()};
    data.partition_epoch = PartitionEpoch{before.partition_epoch.value + wobble()};
    for (NodeId id : before.replicas()) {
      if (id != before.leader && prng_.chance(1, 3)) continue;
      if (id != before.leader && is_fenced(id.value) && prng_.chance(9, 10)) continue;
      auto& member = data.new_isr_with_epochs.push_back(cluster_.arena);
      member.broker_id = id;
      member.broker_epoch = BrokerEpoch{cluster_.epoch_of(id.value).value + wobble()};
    }
    const auto response =
        cluster_.run([&](const HandlerContext& c, RecordList& r) { return alter_partition(c, request, r); }, 3);
    const ErrorCode code = response.topics[0].partitions[0].error_code;
    const bool stale = data.leader_epoch != before.leader_epoch || data.partition_epoch != before.partition_epoch;
    EXPECT_TRUE(!stale || code != ErrorCode::none);
    if (code == ErrorCode::none) {
      ++accepted_;
    } else {
      EXPECT_TRUE(cluster_.lines.empty());
    }
  }

  Prng prng_;
  TestCluster cluster_;
  int accepted_ = 0;
};

TEST(RandomOperations, KeepEveryInvariant) {  // cases.md row P8
  constexpr std::uint64_t seeds = 100;
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomDay day(seed, seed % 2 == 0);
    for (int i = 0; i < 300; ++i) {
      day.step();
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << " step " << i;
    }
    accepted += day.accepted();
  }
  EXPECT_GT(accepted, 1000) << "too few AlterPartitions that change something";
}

TEST(RandomOperations, TheSameSeedIsTheSameDay) {
  RandomDay one(99, true);
  RandomDay other(99, true);
  for (int i = 0; i < 200; ++i) {
    one.step();
    other.step();
    ASSERT_EQ(one.state(), other.state()) << i;
  }
}

}  // namespace
}  // namespace hayward::core

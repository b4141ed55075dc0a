// Brokers that die, seen through the metadata log of a controller that the test plays; and leaders that change their
// in-sync replicas.
#include <gtest/gtest.h>

#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/register_broker_record.h"
#include "tests/unit/load/fake_controller.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr TopicId topic{Uuid{7, 7}};

records::PartitionRecord partition(Arena& arena, std::int32_t index, std::initializer_list<std::int32_t> replicas) {
  records::PartitionRecord record;
  record.topic_id = topic;
  record.partition_id = PartitionIndex{index};
  for (const std::int32_t replica : replicas) {
    record.replicas.push_back(arena, NodeId{replica});
    record.directories.push_back(arena, DirectoryId{Uuid{1, static_cast<std::uint64_t>(replica)}});
  }
  record.isr = record.replicas;
  record.leader = record.replicas[0];
  record.leader_epoch = LeaderEpoch{0};
  record.partition_epoch = PartitionEpoch{0};
  return record;
}

records::PartitionChangeRecord led_by(std::int32_t index, std::int32_t leader) {
  records::PartitionChangeRecord record;
  record.topic_id = topic;
  record.partition_id = PartitionIndex{index};
  record.leader = NodeId{leader};
  return record;
}

records::RegisterBrokerRecord broker(std::int32_t id) {
  records::RegisterBrokerRecord record;
  record.broker_id = NodeId{id};
  record.broker_epoch = BrokerEpoch{100 + id};
  record.fenced = false;
  return record;
}

records::BrokerRegistrationChangeRecord fenced(std::int32_t id) {
  records::BrokerRegistrationChangeRecord record;
  record.broker_id = NodeId{id};
  record.broker_epoch = BrokerEpoch{100 + id};
  record.fenced = 1;
  return record;
}

LoadOptions killing(std::vector<Part> parts) {
  LoadOptions options;
  options.parts = {Part::register_, Part::unfence};
  options.parts.insert(options.parts.end(), parts.begin(), parts.end());
  options.brokers = 6;  // 1000 to 1005
  options.kill = 2;
  options.session_timeout_s = 2;
  options.heartbeat_interval_s = 0.1;
  return options;
}

// Three partitions, two of them led by those that will die.
void fill(FakeController& controller) {
  Arena arena;
  for (std::int32_t id = 1000; id < 1006; ++id) controller.append(broker(id));
  controller.append(partition(arena, 0, {1004, 1000}), partition(arena, 1, {1005, 1004}),
                    partition(arena, 2, {1001, 1004}));
}

// Two seconds and `delay_ns` after the last word of the second one both are fenced, in two steps 30 ms apart.
struct Fencing {
  LoadWorld& world;
  std::int64_t delay_ns;
  int step = 0;
  void turn() {
    auto& seen = world.controller->last_contact_ns;
    if (step == 2 || !seen.contains(1004) || !seen.contains(1005)) return;
    const std::int64_t due_ns = std::max(seen[1004], seen[1005]) + 2000 * ms + delay_ns + step * 30 * ms;
    if (world.clock.now_ns() < due_ns) return;
    if (++step == 1) return world.controller->append(led_by(0, 1000), led_by(1, -1));
    world.controller->append(fenced(1004), fenced(1005));
  }
};

TEST(LoadKill, MeasuresFromTheEndOfTheSessionUntilEveryLeaderHasMoved) {
  LoadWorld world;
  fill(*world.controller);
  Fencing fencing{world, 250 * ms};
  world.on_turn = [&] { fencing.turn(); };
  world.run(killing({Part::kill}));
  EXPECT_EQ(world.load->problem(), "");
  const PhaseResult& kill = world.phase("kill");
  EXPECT_EQ(kill.sent, 2u) << "partitions that the dead led";
  EXPECT_EQ(kill.ok, 2u);
  EXPECT_EQ(kill.error_count(), 0u);
  EXPECT_EQ(kill.details.at("moved"), 1);
  EXPECT_EQ(kill.details.at("leaderless"), 1);
  EXPECT_NEAR(kill.details.at("last_change_ms"), 250, 15);
  EXPECT_NEAR(kill.details.at("last_fenced_ms"), 280, 15);
  EXPECT_NEAR(static_cast<double>(kill.latency.max_ns()), 250 * ms, 15 * ms);
  const PhaseResult& beside = world.phase("kill/heartbeats");
  EXPECT_EQ(beside.error_count() + beside.unanswered, 0u);
  EXPECT_GE(beside.ok, 4 * 20u) << "the living four go on, every tenth of a second";
}

TEST(LoadKill, BrokersThatAreNeverFencedAreAnError) {
  LoadWorld world;
  fill(*world.controller);
  LoadOptions options = killing({Part::kill});
  options.give_up_s = 1;
  world.run(options);
  const PhaseResult& kill = world.phase("kill");
  EXPECT_EQ(kill.unanswered, 2u);
  EXPECT_EQ(kill.errors.at("NOT_FENCED"), 2u);
  EXPECT_GT(kill.latency.max_ns(), 900 * ms) << "what has not moved counts with the time it has waited";
}

TEST(LoadKill, FencingBeforeTheSessionIsOverIsAnError) {
  LoadWorld world;
  fill(*world.controller);
  Fencing fencing{world, -500 * ms};
  world.on_turn = [&] { fencing.turn(); };
  world.run(killing({Part::kill}));
  EXPECT_EQ(world.phase("kill").errors.at("TOO_EARLY"), 4u) << "two leaders, two brokers";
}

TEST(LoadKill, TheDeadReturnWithNewIncarnations) {
  LoadWorld world;
  fill(*world.controller);
  Fencing fencing{world, 0};
  world.on_turn = [&] { fencing.turn(); };
  world.run(killing({Part::kill, Part::return_, Part::steady}));
  EXPECT_EQ(world.load->problem(), "");
  EXPECT_EQ(failures(world.outcome()), 0u);
  EXPECT_EQ(world.phase("return").ok, 2u);
  EXPECT_EQ(world.phase("return/unfence").ok, 2u);
  EXPECT_GT(world.phase("return/heartbeats").sent, 0u);
  EXPECT_GT(world.phase("steady").ok, 0u);
}

TEST(LoadAlterPartition, FollowersDropOutAndComeBack) {
  LoadWorld world;
  fill(*world.controller);
  LoadOptions options = killing({Part::alter_partition});
  options.alter_partitions = 7;
  world.run(options);
  EXPECT_EQ(failures(world.outcome()), 0u) << world.load->problem();
  EXPECT_EQ(world.phase("alter-partition").ok, 7u);
  ASSERT_EQ(world.controller->new_isrs.size(), 7u);
  std::map<std::size_t, int> sizes;
  for (const auto& isr : world.controller->new_isrs) ++sizes[isr.size()];
  EXPECT_EQ(sizes[1], 4) << "three partitions in turn: out, back, and the first one out again";
  EXPECT_EQ(sizes[2], 3);
}

TEST(LoadObservers, ABrokerThatFetchesSaysWhatItHasRead) {
  LoadWorld world;
  fill(*world.controller);
  world.controller->brokers_fetch = true;
  LoadOptions options;
  options.brokers = 3;
  options.observers = 1;
  options.duration_s = 1;
  options.rate_per_s = 100;
  bool more = false;
  world.on_turn = [&] {
    if (more || world.controller->requests < 50) return;
    more = true;
    world.controller->append(broker(1));
  };
  world.run(options);
  EXPECT_EQ(failures(world.outcome()), 0u);
  EXPECT_EQ(world.controller->last_heartbeat.at(1000).current_metadata_offset.value, world.controller->log_end - 1);
  EXPECT_LT(world.controller->last_heartbeat.at(1001).current_metadata_offset.value, world.controller->log_end - 1)
      << "the others say what they could have read when they registered";
}

}  // namespace
}  // namespace hayward::tools

// A controller whose slices are of few partitions, and brokers with more than that.
// Owner: the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/image/image.h"
#include "engine/core/invariants.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {

using namespace messages;

inline constexpr std::size_t slice = 4;

class BrokerSlices : public ::testing::Test {
 protected:
  explicit BrokerSlices(const MachineOptions& options = {}) : machine(options) {
    machine.config.partitions_per_slice = slice;
    machine.bring_up();
  }
  ~BrokerSlices() override { EXPECT_EQ(machine.failure(), ""); }

  BrokerRegistrationRequest registration(std::int32_t id, std::uint64_t incarnation) {
    BrokerRegistrationRequest request;
    request.broker_id = NodeId{id};
    request.cluster_id = test_cluster;
    request.incarnation_id = IncarnationId{Uuid{1, incarnation}};
    request.listeners.push_back(arena, {"PLAINTEXT", "h", 9092, 0});
    request.log_dirs.push_back(arena, dir(id));
    request.features.push_back(arena, {"metadata.version", 7, 30});
    request.features.push_back(arena, {"transaction.version", 0, 2});
    for (const char* name : {"kraft.version", "eligible.leader.replicas.version", "group.version", "share.version",
                             "streams.version"}) {
      request.features.push_back(arena, {name, 0, 1});
    }
    return request;
  }
  BrokerRegistrationResponse enroll(std::int32_t id, std::uint64_t incarnation) {
    return machine.asked<BrokerRegistrationResponse>(registration(id, incarnation));
  }
  void start_brokers(std::int32_t count) {
    for (std::int32_t id = 1; id <= count; ++id) {
      ASSERT_EQ(enroll(id, static_cast<std::uint64_t>(id)).error_code, ErrorCode::none);
      beat(id);
      ASSERT_FALSE(broker(id).fenced);
    }
  }
  BrokerHeartbeatRequest heartbeat(std::int32_t id) {
    BrokerHeartbeatRequest request;
    request.broker_id = NodeId{id};
    request.broker_epoch = broker(id).epoch;
    request.current_metadata_offset = Offset{machine.disk.end().value - 1};
    return request;
  }
  BrokerHeartbeatResponse beat(std::int32_t id) { return machine.asked<BrokerHeartbeatResponse>(heartbeat(id)); }
  BrokerHeartbeatResponse ask_to_stop(std::int32_t id) {
    BrokerHeartbeatRequest request = heartbeat(id);
    request.want_shut_down = true;
    return machine.asked<BrokerHeartbeatResponse>(request);
  }
  // Partition i of `count` is on replicas rotated by i, all in sync.
  void create_topic(std::string_view name, std::int32_t count, std::vector<std::int32_t> replicas) {
    CreateTopicsRequest request;
    auto& topic = request.topics.push_back(arena);
    topic.name = name;
    topic.num_partitions = -1;
    topic.replication_factor = -1;
    for (std::int32_t i = 0; i < count; ++i) {
      auto& assignment = topic.assignments.push_back(arena);
      assignment.partition_index = PartitionIndex{i};
      for (const std::int32_t id : replicas) assignment.broker_ids.push_back(arena, NodeId{id});
      std::ranges::rotate(replicas, replicas.begin() + 1);
    }
    ASSERT_EQ(machine.asked<CreateTopicsResponse>(request).topics[0].error_code, ErrorCode::none);
  }
  void expire(std::vector<std::int32_t> ids) {
    LeasesExpired expired{machine.node().view().epoch, {}};
    for (const std::int32_t id : ids) expired.brokers.push_back({NodeId{id}, broker(id).epoch});
    machine.step(expired);
  }
  // One slice; the records that it wrote, as text.
  std::string run_slice() {
    const std::size_t before = machine.disk.batches.size();
    machine.step(Tick{});
    const auto broken = check(image());
    EXPECT_FALSE(broken.has_value()) << *broken;
    EXPECT_LE(machine.disk.batches.size(), before + 1);
    return machine.disk.batches.size() == before ? "" : describe_batch(machine.disk.batches.back()->bytes);
  }
  static std::size_t changes_in(const std::string& records) {
    std::size_t count = 0;
    for (std::size_t at = records.find("PartitionChange"); at != std::string::npos; ++count)
      at = records.find("PartitionChange", at + 1);
    return count;
  }
  void finish() {
    for (int i = 0; i < 100; ++i) {
      machine.pass_ms(0);
      machine.settle();
    }
    const auto broken = check(image());
    ASSERT_FALSE(broken.has_value()) << *broken;
  }
  // Who is asked for the leadership or the ISR of what.
  std::size_t led_by(std::int32_t id) { return image().topics().led_by(NodeId{id}).size(); }
  std::size_t in_isr_of(std::int32_t id) { return image().topics().in_isr_of(NodeId{id}).size(); }

  static DirectoryId dir(std::int32_t id) { return DirectoryId{Uuid{77, static_cast<std::uint64_t>(id)}}; }
  const Image& image() { return machine.node().image(); }
  const BrokerRegistration& broker(std::int32_t id) { return *image().cluster().broker(NodeId{id}); }
  const Partition& partition(std::string_view topic, std::int32_t index) {
    return *image().topics().partition(*image().topics().find(topic), PartitionIndex{index});
  }

  Machine machine;
  Arena arena;
};

}  // namespace hayward::core

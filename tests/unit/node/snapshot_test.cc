// Snapshots: when they are due, what they hold, who may have them, and that a log that begins with one loads.
#include <gtest/gtest.h>

#include "engine/core/image/image.h"
#include "tests/node_machine/machine.h"
#include "samples.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/delete_topics_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/fetch_snapshot_response.h"

namespace hayward::core {
namespace {

using messages::CreateTopicsRequest;
using messages::FetchSnapshotRequest;
using messages::FetchSnapshotResponse;

FetchSnapshotRequest piece_of(Arena& arena, SnapshotId id, std::int64_t position, Epoch epoch) {
  FetchSnapshotRequest request;
  request.cluster_id = test_cluster;
  request.replica_id = NodeId{100};
  request.max_bytes = 40;
  FetchSnapshotRequest::TopicSnapshot topic;
  topic.name = "__cluster_metadata";
  FetchSnapshotRequest::PartitionSnapshot partition;
  partition.current_leader_epoch = epoch;
  partition.snapshot_id = {id.end, id.epoch};
  partition.position = position;
  topic.partitions.push_back(arena, partition);
  request.topics.push_back(arena, topic);
  return request;
}

TEST(Snapshot, ByBytes) {  // cases.md row P10
  Machine machine({.snapshot_bytes = 1000});
  machine.bring_up();
  std::size_t snapshots = machine.disk.snapshots.size();
  while (machine.disk.snapshots.size() == snapshots) {
    machine.pass_ms(500);
    machine.settle();
    ASSERT_LT(machine.disk.batches.size(), 100u);
  }
  const Disk::Snapshot& snapshot = machine.disk.snapshots.back();
  EXPECT_EQ(snapshot.id.end, machine.disk.end());
  EXPECT_EQ(snapshot.id.epoch, Epoch{1});
  EXPECT_EQ(describe_batch(snapshot.batches.front()),
            "SnapshotHeader; KRaftVersion 1; Voters 1@CONTROLLER://host-1:9093");
  EXPECT_EQ(describe_batch(snapshot.batches[1]),
            "FeatureLevel v0 metadata.version=30; RegisterController v0 1 endpoints 1 features 7");
  EXPECT_EQ(describe_batch(snapshot.batches.back()), "SnapshotFooter");
}

TEST(Snapshot, ByTime) {
  Machine machine({.snapshot_interval_ms = 60'000});
  machine.bring_up();
  const std::size_t snapshots = machine.disk.snapshots.size();
  machine.pass_ms(59'000);
  machine.settle();
  EXPECT_EQ(machine.disk.snapshots.size(), snapshots);
  machine.pass_ms(2'000);
  machine.settle();
  EXPECT_EQ(machine.disk.snapshots.size(), snapshots + 1);
}

// cases.md row 64: no life is long enough for a snapshot by itself; together they are.
TEST(Snapshot, Row64_BytesAreCountedThroughRestarts) {
  Machine machine({.snapshot_bytes = 4000});
  machine.bring_up();
  const std::size_t snapshots = machine.disk.snapshots.size();
  int lives = 0;
  while (machine.disk.snapshots.size() == snapshots) {
    machine.pass_ms(500);
    machine.settle();
    machine.bring_up_again();
    ASSERT_LT(++lives, 100);
  }
  EXPECT_GT(lives, 3) << "it was not one life's doing";
}

TEST(Snapshot, IsNotWrittenBeforeWhatItHoldsIsCommitted) {  // R13
  Machine machine({.snapshot_bytes = 1});
  machine.bring_up();
  const std::size_t snapshots = machine.disk.snapshots.size();
  machine.pass_ms(500);  // appended, not flushed
  const auto writes = [&] {
    return std::ranges::count_if(machine.effects(),
                                 [](const Effect& e) { return std::holds_alternative<WriteSnapshot>(e); });
  };
  EXPECT_EQ(writes(), 0);
  machine.flush();
  EXPECT_EQ(writes(), 1);
  machine.settle();
  EXPECT_EQ(machine.disk.snapshots.size(), snapshots + 1);
}

TEST(Snapshot, OnlyOneAtATimeAndAgainAfterAFailure) {
  Machine machine({.snapshot_bytes = 1});
  machine.bring_up();
  machine.pass_ms(500);
  machine.flush();  // one is being written
  const auto writes = [&] {
    return std::ranges::count_if(machine.effects(),
                                 [](const Effect& e) { return std::holds_alternative<WriteSnapshot>(e); });
  };
  ASSERT_EQ(writes(), 1);
  machine.pass_ms(500);
  machine.flush();
  EXPECT_EQ(writes(), 0);
  machine.step(SnapshotWritten{{machine.disk.end(), Epoch{1}}, false, 0});
  EXPECT_EQ(writes(), 1);  // of what has come since
}

CreateTopicsRequest topic_of(Arena& arena, std::string_view name, std::int32_t partitions) {
  CreateTopicsRequest request;
  auto& topic = request.topics.push_back(arena);
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = 1;
  return request;
}

// One event encodes a few partitions, the next one when the log has written them; what is created meanwhile is not
// in it, and what is deleted meanwhile is.
TEST(Snapshot, GoesInSlicesWhileTheImageChanges) {  // cases.md row 62
  Machine machine({.snapshot_bytes = 5000});
  machine.config.snapshot_slice_entries = 7;
  machine.bring_up();
  start_broker(machine);
  Arena arena;
  std::vector<WriteSnapshot> orders;
  const auto collect = [&] {
    for (const Effect& effect : machine.effects())
      if (const auto* write = std::get_if<WriteSnapshot>(&effect)) orders.push_back(*write);
  };
  machine.ask(1, topic_of(arena, "a", 200));
  collect();
  machine.flush();
  collect();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_TRUE(orders[0].begins);
  EXPECT_FALSE(orders[0].ends);
  const SnapshotId id = orders[0].id;
  const std::uint64_t then = machine.node().image().hash();
  machine.ask(2, topic_of(arena, "b", 3));
  collect();
  EXPECT_EQ(orders.size(), 1u) << "the log has not written the first";
  messages::DeleteTopicsRequest deletion;
  deletion.timeout_ms = 60'000;
  deletion.topics.push_back(arena).name = "a";
  deletion.timeout_ms = 5000;
  machine.ask(3, deletion);
  machine.flush();
  EXPECT_EQ(machine.node().image().topics().find("a"), nullptr);
  while (!orders.back().ends) {
    machine.step(SnapshotChunkWritten{id});
    const std::size_t before = orders.size();
    collect();
    ASSERT_EQ(orders.size(), before + 1);
    EXPECT_FALSE(orders.back().begins);
    EXPECT_EQ(orders.back().id, id);
  }
  EXPECT_GE(orders.size(), 200u / 7);
  Image loaded;
  for (const WriteSnapshot& order : orders) {
    for (const Buffer& batch : order.batches) {
      const auto header = check_batch(batch);
      ASSERT_TRUE(header.has_value());
      if (header->is_control()) continue;
      RecordIterator records(*header, batch);
      while (const auto record = records.next())
        ASSERT_TRUE(loaded.replay(*record->value, Offset{id.end.value - 1}, ReplaySource::snapshot).has_value());
    }
  }
  EXPECT_EQ(loaded.hash(), then);
}

TEST(Snapshot, LoadsToTheSameImage) {
  Machine machine({.bootstrap_features = true, .snapshot_bytes = 1000});
  machine.bring_up();
  machine.pass_ms(10'000);
  machine.settle();
  ASSERT_GT(machine.disk.snapshots.size(), 1u);
  machine.pass_ms(500);
  machine.settle();
  const std::uint64_t hash = machine.node().image().hash();
  // The log below the snapshot is gone.
  machine.disk.start = machine.disk.snapshots.back().id.end;
  std::erase_if(machine.disk.batches, [&](const BatchPtr& batch) { return batch->base < machine.disk.start; });
  machine.disk.snapshots.erase(machine.disk.snapshots.begin(), machine.disk.snapshots.end() - 1);
  const std::size_t before = machine.disk.batches.size();
  machine.bring_up_again();
  EXPECT_TRUE(machine.node().view().active);
  EXPECT_EQ(machine.node().image().hash(), hash);
  EXPECT_EQ(describe_batch(machine.disk.batches[before]->bytes), "LeaderChange v0 leader 1 voters [1]");
}

class ServedSnapshot : public ::testing::Test {
 protected:
  ServedSnapshot() : machine({.snapshot_bytes = 1}) {
    machine.bring_up();
    machine.pass_ms(500);
    machine.settle();
    id = machine.disk.snapshots.back().id;
  }
  ErrorCode error_of(const FetchSnapshotRequest& request) {
    machine.ask(1, request);
    const auto response = machine.answer<FetchSnapshotResponse>(1);
    if (!response) return ErrorCode::unknown_server_error;
    if (response->topics.empty()) return response->error_code;
    EXPECT_TRUE(response->topics[0].partitions[0].unaligned_records.has_value());
    return response->topics[0].partitions[0].error_code;
  }

  Machine machine;
  Arena arena;
  SnapshotId id{};
};

TEST_F(ServedSnapshot, InPieces) {  // cases.md row P7
  machine.ask(1, piece_of(arena, id, 0, Epoch{1}));
  auto first = machine.answer<FetchSnapshotResponse>(1)->topics[0].partitions[0];
  EXPECT_EQ(first.size, 100);
  EXPECT_EQ(first.position, 0);
  EXPECT_EQ(first.snapshot_id.end_offset, id.end);
  EXPECT_EQ(first.unaligned_records->size(), 40u);
  machine.ask(1, piece_of(arena, id, 80, Epoch{1}));
  auto last = machine.answer<FetchSnapshotResponse>(1)->topics[0].partitions[0];
  EXPECT_EQ(last.position, 80);
  EXPECT_EQ(last.unaligned_records->size(), 20u);
}

TEST_F(ServedSnapshot, Refusals) {
  EXPECT_EQ(error_of(piece_of(arena, {Offset{999}, Epoch{1}}, 0, Epoch{1})), ErrorCode::snapshot_not_found);
  EXPECT_EQ(error_of(piece_of(arena, {Offset{0}, Epoch{0}}, 0, Epoch{1})), ErrorCode::snapshot_not_found);
  EXPECT_EQ(error_of(piece_of(arena, id, -1, Epoch{1})), ErrorCode::position_out_of_range);
  EXPECT_EQ(error_of(piece_of(arena, id, 100, Epoch{1})), ErrorCode::position_out_of_range);
  EXPECT_EQ(error_of(piece_of(arena, id, 0, Epoch{0})), ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(error_of(piece_of(arena, id, 0, Epoch{2})), ErrorCode::unknown_leader_epoch);
  FetchSnapshotRequest request = piece_of(arena, id, 0, Epoch{1});
  request.topics[0].name = "other";
  EXPECT_EQ(error_of(request), ErrorCode::unknown_topic_or_partition);
  request = piece_of(arena, id, 0, Epoch{1});
  request.cluster_id = "elsewhere";
  EXPECT_EQ(error_of(request), ErrorCode::inconsistent_cluster_id);
  request = piece_of(arena, id, 0, Epoch{1});
  request.topics = {};
  EXPECT_EQ(error_of(request), ErrorCode::invalid_request);
  request = piece_of(arena, id, 0, Epoch{1});
  request.topics[0].partitions = {};
  EXPECT_EQ(error_of(request), ErrorCode::invalid_request);
  request = piece_of(arena, id, 0, Epoch{1});
  request.max_bytes = -5;
  EXPECT_EQ(error_of(request), ErrorCode::invalid_request);
}

TEST_F(ServedSnapshot, AnEmptyReplicaIsSentToTheSnapshot) {  // cases.md row 80
  messages::FetchRequest fetch;
  fetch.replica_state.replica_id = NodeId{100};
  fetch.max_wait_ms = 500;
  messages::FetchRequest::FetchTopic topic;
  topic.topic_id = metadata_topic_id;
  messages::FetchRequest::FetchPartition partition;
  partition.current_leader_epoch = Epoch{1};
  partition.last_fetched_epoch = Epoch{0};
  topic.partitions.push_back(arena, partition);
  fetch.topics.push_back(arena, topic);
  machine.ask(1, fetch);
  const auto answer = machine.answer<messages::FetchResponse>(1)->responses[0].partitions[0];
  EXPECT_EQ(answer.snapshot_id.end_offset, id.end);
  EXPECT_EQ(answer.snapshot_id.epoch, id.epoch);
  EXPECT_TRUE(answer.records->empty());
}

}  // namespace
}  // namespace hayward::core

// Fetch by observers: what they get, when they wait and what wakes them, and every refusal (raft.md 6).
#include <gtest/gtest.h>

#include <functional>

#include "tests/node_machine/machine.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"

namespace hayward::core {
namespace {

using messages::FetchRequest;
using messages::FetchResponse;

class Fetch : public ::testing::Test {
 protected:
  Fetch() { machine.bring_up(); }

  // A broker's fetch at `offset`, whose last record is of the present epoch.
  FetchRequest request(std::int64_t offset, std::int64_t high_watermark = -1) {
    arena.reset();
    FetchRequest fetch;
    fetch.cluster_id = test_cluster;
    fetch.replica_state.replica_id = NodeId{100};
    fetch.max_wait_ms = 30'000;
    fetch.max_bytes = 1 << 20;
    FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    FetchRequest::FetchPartition partition;
    partition.fetch_offset = Offset{offset};
    partition.current_leader_epoch = epoch();
    partition.last_fetched_epoch = offset == 0 ? Epoch{0} : epoch();
    partition.high_watermark = Offset{high_watermark};
    partition.replica_directory_id = DirectoryId{Uuid{0xb, 100}};
    topic.partitions.push_back(arena, partition);
    fetch.topics.push_back(arena, topic);
    return fetch;
  }
  FetchRequest::FetchPartition& partition_of(FetchRequest& fetch) { return fetch.topics[0].partitions[0]; }

  std::optional<FetchResponse::PartitionData> answered(std::uint32_t slot = 1) {
    const auto response = machine.answer<FetchResponse>(slot);
    if (!response || response->responses.size() != 1) return std::nullopt;
    return response->responses[0].partitions[0];
  }
  ErrorCode refused(std::uint32_t slot = 1) {
    const auto response = machine.answer<FetchResponse>(slot);
    if (!response || !response->responses.empty()) return ErrorCode::none;
    return response->error_code;
  }
  std::int64_t end() const { return machine.disk.end().value; }
  Epoch epoch() const { return machine.node().view().epoch; }
  // One record more, appended but not flushed.
  void append() { machine.pass_ms(500); }

  mutable Machine machine;
  Arena arena;
};

TEST_F(Fetch, RecordsUpToTheHighWatermark) {  // cases.md row P11
  append();  // not committed
  machine.ask(1, request(0));
  const auto partition = answered();
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->error_code, ErrorCode::none);
  EXPECT_EQ(partition->high_watermark.value, end() - 1);
  EXPECT_EQ(partition->last_stable_offset, Offset{-1});
  EXPECT_EQ(partition->log_start_offset, Offset{0});
  EXPECT_FALSE(partition->aborted_transactions.is_null());
  EXPECT_EQ(partition->current_leader.leader_id, NodeId{1});
  EXPECT_EQ(partition->current_leader.leader_epoch, epoch());
  std::size_t committed = 0;
  for (std::size_t i = 0; i + 1 < machine.disk.batches.size(); ++i) committed += machine.disk.batches[i]->bytes.size();
  EXPECT_EQ(partition->records->size(), committed);
}

TEST_F(Fetch, WaitsAndIsWokenByTheCommit) {  // cases.md row 79
  machine.ask(1, request(end(), end()));
  EXPECT_FALSE(machine.answered(1));
  append();
  EXPECT_FALSE(machine.answered(1));
  machine.flush();
  const auto partition = answered();
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->records->size(), machine.disk.batches.back()->bytes.size());
  EXPECT_EQ(partition->high_watermark.value, end());  // the same answer tells of the commit
}

TEST_F(Fetch, WaitsNoLongerThanAskedFor) {
  machine.config.max_idle_interval_ms = 0;
  machine.bring_up_again();
  FetchRequest fetch = request(end(), end());
  fetch.max_wait_ms = 300;
  machine.ask(1, fetch);
  machine.pass_ms(299);
  EXPECT_FALSE(machine.answered(1));
  machine.pass_ms(1);
  const auto partition = answered();
  ASSERT_TRUE(partition);
  ASSERT_TRUE(partition->records.has_value());  // P11
  EXPECT_TRUE(partition->records->empty());
  EXPECT_EQ(partition->error_code, ErrorCode::none);
}

TEST_F(Fetch, OneThatAsksForNoWaitIsAnsweredAtOnce) {
  FetchRequest fetch = request(end(), end());
  fetch.max_wait_ms = 0;
  machine.ask(1, fetch);
  EXPECT_TRUE(answered());
}

TEST_F(Fetch, AKnownHighWatermarkDecidesWhoWaits) {
  machine.ask(1, request(end(), end() - 1));  // does not know the last commit
  EXPECT_TRUE(answered(1));
  machine.ask(2, request(end(), end()));
  EXPECT_FALSE(machine.answered(2));
  machine.ask(3, request(end()), 17);  // cannot tell: waits
  EXPECT_FALSE(machine.answered(3));
  append();
  machine.flush();
  EXPECT_TRUE(answered(2));
  EXPECT_TRUE(answered(3));
}

TEST_F(Fetch, ObserverAheadOfTheHighWatermarkLearnsOfIt) {
  append();
  machine.ask(1, request(end(), end() - 1));  // holds a record that is not committed
  EXPECT_FALSE(machine.answered(1));
  machine.flush();
  const auto partition = answered();
  ASSERT_TRUE(partition);
  EXPECT_TRUE(partition->records->empty());
  EXPECT_EQ(partition->high_watermark.value, end());
}

TEST_F(Fetch, ClosedConnectionsAreForgotten) {
  machine.ask(1, request(end(), end()));
  machine.step(ConnectionClosed{{1, 1, 0}});
  append();
  machine.flush();
  EXPECT_FALSE(machine.answered(1));
}

TEST_F(Fetch, RefusalsOfTheWhole) {  // cases.md row P1
  FetchRequest other_cluster = request(0);
  other_cluster.cluster_id = "somewhere-else";
  machine.ask(1, other_cluster);
  EXPECT_EQ(refused(), ErrorCode::inconsistent_cluster_id);

  const std::vector<std::function<void(FetchRequest&)>> faults = {
      [](FetchRequest& f) { f.topics = {}; },
      [&](FetchRequest& f) { f.topics.push_back(arena, f.topics[0]); },
      [](FetchRequest& f) { f.topics[0].topic_id = TopicId{Uuid{3, 3}}; },
      [](FetchRequest& f) { f.topics[0].partitions = {}; },
      [&](FetchRequest& f) { f.topics[0].partitions.push_back(arena, f.topics[0].partitions[0]); },
      [](FetchRequest& f) { f.topics[0].partitions[0].partition = PartitionIndex{1}; },
      [](FetchRequest& f) { f.max_wait_ms = -1; },
      [](FetchRequest& f) { f.max_bytes = -1; },
      [](FetchRequest& f) { f.topics[0].partitions[0].fetch_offset = Offset{-1}; },
      [](FetchRequest& f) { f.topics[0].partitions[0].last_fetched_epoch = Epoch{-1}; },
      [](FetchRequest& f) { f.topics[0].partitions[0].last_fetched_epoch = Epoch{9}; },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    FetchRequest fetch = request(0);
    faults[i](fetch);
    machine.ask(1, fetch);
    EXPECT_EQ(refused(), ErrorCode::invalid_request) << "fault " << i;  // at the top only (P1)
  }
  EXPECT_TRUE(machine.node().view().active);
}

TEST_F(Fetch, WithoutTopicIdsTheRequestIsRefused) {
  machine.ask(1, request(0), 12);
  EXPECT_EQ(refused(), ErrorCode::invalid_request);
}

TEST_F(Fetch, Epochs) {  // cases.md row P9
  FetchRequest older = request(0);
  partition_of(older).current_leader_epoch = Epoch{0};
  machine.ask(1, older);
  EXPECT_EQ(answered()->error_code, ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(answered()->current_leader.leader_id, NodeId{1});
  EXPECT_EQ(answered()->high_watermark, no_offset);

  FetchRequest newer = request(0);
  partition_of(newer).current_leader_epoch = Epoch{2147483647};
  machine.ask(1, newer);
  EXPECT_EQ(answered()->error_code, ErrorCode::unknown_leader_epoch);
  EXPECT_EQ(answered()->current_leader.leader_epoch, epoch());
}

TEST_F(Fetch, NobodyWithOurIdIsToldThatItLeads) {  // cases.md row P4
  FetchRequest fetch = request(0);
  fetch.replica_state.replica_id = NodeId{1};
  machine.ask(1, fetch);
  EXPECT_EQ(answered()->error_code, ErrorCode::unknown_server_error);
  EXPECT_EQ(answered()->current_leader.leader_id, no_node);
}

TEST_F(Fetch, LeaderEndpointFromVersion17) {
  machine.ask(1, request(0), 17);
  const auto with = machine.answer<FetchResponse>(1);
  ASSERT_EQ(with->node_endpoints.size(), 1u);
  EXPECT_EQ(with->node_endpoints[0].host, "host-1");
  EXPECT_EQ(with->node_endpoints[0].port, 9093);
  machine.ask(1, request(0), 16);
  EXPECT_EQ(machine.answer<FetchResponse>(1)->node_endpoints.size(), 0u);
}

TEST_F(Fetch, DivergingLogs) {  // cases.md row P6
  machine.ask(1, request(end() + 5));  // beyond our end
  EXPECT_EQ(answered()->diverging_epoch.epoch, epoch());
  EXPECT_EQ(answered()->diverging_epoch.end_offset.value, end());

  FetchRequest unknown_epoch = request(5);
  partition_of(unknown_epoch).last_fetched_epoch = Epoch{0};
  machine.ask(1, unknown_epoch);
  EXPECT_EQ(answered()->diverging_epoch.epoch, Epoch{0});
  EXPECT_EQ(answered()->diverging_epoch.end_offset, Offset{0});
}

TEST_F(Fetch, NotAnsweredAsLeaderBeforeQuorumStateSaysSo) {
  ASSERT_TRUE(machine.restart());
  machine.start();
  machine.ask(1, request(0));
  EXPECT_FALSE(machine.answered(1));  // not even of the epoch that it stands in (R3)
  machine.persist();
  machine.persist();
  EXPECT_EQ(answered()->error_code, ErrorCode::not_leader_or_follower);
  EXPECT_EQ(answered()->current_leader.leader_id, no_node);
}

TEST_F(Fetch, HighWatermarkIsUnknownUntilTheEpochsFirstRecordIsCommitted) {  // cases.md row 74
  ASSERT_TRUE(machine.restart());
  machine.start();
  machine.persist();
  machine.persist();
  FetchRequest fetch = request(0);
  fetch.max_wait_ms = 0;
  machine.ask(1, fetch);
  EXPECT_EQ(answered()->high_watermark, no_offset);
  EXPECT_TRUE(answered()->records->empty());
}

TEST_F(Fetch, DescribeQuorumTellsOfObserversForFiveMinutes) {
  machine.config.max_idle_interval_ms = 0;
  machine.bring_up_again();
  machine.ask(1, request(end(), end() - 1));
  Arena describe_arena;
  messages::DescribeQuorumRequest describe;
  messages::DescribeQuorumRequest::TopicData topic;
  topic.topic_name = "__cluster_metadata";
  topic.partitions.push_back(describe_arena, {PartitionIndex{0}});
  describe.topics.push_back(describe_arena, topic);

  const auto observers = [&] {
    return machine.asked<messages::DescribeQuorumResponse>(describe).topics[0].partitions[0].observers;
  };
  const auto seen = observers();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].replica_id, NodeId{100});
  EXPECT_EQ(seen[0].log_end_offset.value, end());
  EXPECT_EQ(seen[0].last_caught_up_timestamp, machine.now().wall_ms);
  machine.pass_ms(300'000);
  EXPECT_EQ(observers().size(), 0u);

  // By fetches that other shards have answered.
  ObserverContacts mail{epoch(), {{NodeId{101}, DirectoryId{Uuid{0xb, 101}}, Offset{4}, Offset{9}, machine.now()}}};
  machine.step(mail);
  mail.epoch.value -= 1;
  mail.observers[0].replica = NodeId{102};
  machine.step(mail);
  const auto told = observers();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].replica_id, NodeId{101});
  EXPECT_EQ(told[0].log_end_offset, Offset{4});
}

}  // namespace
}  // namespace hayward::core

// A controller that follows another one: what it answers, when it makes snapshots, whether it asks to be a voter.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/core/image/image.h"
#include "engine/core/raft/control_records.h"
#include "engine/core/raft/raft_view.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/control.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/topic_record.h"
#include "tests/node_machine/bootstrap_checkpoint.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr NodeId leader{2};
constexpr Epoch epoch{5};

class Standby : public testing::Test {
 protected:
  explicit Standby(const MachineOptions& options = {.voters = 3}) : machine(options) {}

  void follow() {
    ASSERT_TRUE(machine.restart());
    machine.start();
    begins(leader, epoch);
    ASSERT_EQ(machine.node().view().leader, leader);
  }
  void begins(NodeId who, Epoch in) {
    BeginQuorumEpochRequest request;
    BeginQuorumEpochRequest::PartitionData partition;
    partition.leader_id = who;
    partition.leader_epoch = in;
    raft::add_metadata_partition(request, partition, arena);
    request.leader_endpoints.push_back(arena, {"CONTROLLER", arena.copy("host-" + std::to_string(who.value)), 9093});
    machine.ask(1, request);
    machine.settle();
  }
  // The leader sends these batches; all of the log is committed then.
  void fetched(const Buffer& batches, Offset end) {
    FetchResponse response;
    FetchResponse::PartitionData partition;
    partition.current_leader = {leader, epoch};
    partition.high_watermark = end;
    partition.records = batches;
    FetchResponse::FetchableTopicResponse topic;
    topic.topic_id = metadata_topic_id;
    topic.partitions.push_back(arena, partition);
    response.responses.push_back(arena, topic);
    machine.peer_answers(leader, response);
    note();
    while (machine.disk.flushed < machine.disk.end()) {
      machine.flush();
      note();
    }
  }
  void pass_ms(std::int64_t ms) {
    machine.pass_ms(ms);
    note();
  }
  template <class Record>
  static void add(BatchBuilder& batch, const Record& record) {
    Buffer frame;
    records::append_frame(frame, record, 0);
    batch.add(std::nullopt, frame);
  }
  static records::TopicRecord topic(std::string_view name, std::uint64_t id) {
    records::TopicRecord record;
    record.name = name;
    record.topic_id = TopicId{Uuid{1, id}};
    return record;
  }
  bool has_asked_to_join() { return std::exchange(asked_to_join_, false); }

  Machine machine;
  Arena arena;
  std::vector<WriteSnapshot> snapshots;

 private:
  void note() {
    for (const Effect& effect : machine.effects()) {
      if (const auto* write = std::get_if<WriteSnapshot>(&effect)) snapshots.push_back(*write);
      const auto* send = std::get_if<SendToPeer>(&effect);
      if (send != nullptr && send->api_key == AddRaftVoterRequest::api_key) asked_to_join_ = true;
    }
  }

  bool asked_to_join_ = false;
};

// cases.md row 49: INVALID_REQUEST is final for Kafka's tools; by this one they look for the leader elsewhere.
TEST_F(Standby, Row49_DescribeQuorumIsForTheLeader) {
  follow();
  DescribeQuorumRequest request;
  raft::add_metadata_partition(request, {}, arena);
  for (std::int16_t v = DescribeQuorumRequest::min_version; v <= DescribeQuorumRequest::max_version; ++v) {
    machine.ask(2, request, v);
    const auto answer = machine.answer<DescribeQuorumResponse>(2);
    ASSERT_TRUE(answer.has_value()) << "v" << v;
    EXPECT_EQ(answer->error_code, ErrorCode::none) << "v" << v;
    ASSERT_EQ(answer->topics.size(), 1u);
    const auto& partition = answer->topics[0].partitions[0];
    EXPECT_EQ(partition.error_code, ErrorCode::not_leader_or_follower) << "v" << v;
    EXPECT_TRUE(partition.current_voters.empty());
  }
}

// cases.md row 56: whatever byte of what it is sent is another one, nothing of it is appended or applied, and it asks
// again.
TEST_F(Standby, Row56_AFlippedByteIsNeitherAppendedNorApplied) {
  follow();
  fetched({}, Offset{0});
  BatchBuilder builder(Offset{0}, epoch, 1000);
  add(builder, topic("a", 1));
  const Buffer batch = builder.finish();
  for (std::size_t at = 0; at < batch.size(); ++at) {
    Buffer damaged = batch;
    damaged[at] ^= std::byte{0xff};
    fetched(damaged, Offset{1});
    ASSERT_EQ(machine.disk.end(), Offset{0}) << "byte " << at;
    ASSERT_EQ(machine.node().image().topics().find("a"), nullptr) << "byte " << at;
    pass_ms(1000);
    fetched({}, Offset{0});  // it has asked again; without an answer of use it would look for another leader
  }
  fetched(batch, Offset{1});
  EXPECT_NE(machine.node().image().topics().find("a"), nullptr);
}

// cases.md row P12: brokers take an empty map of features for a cluster without them.
TEST_F(Standby, RowP12_FeaturesOnceToldAreToldUnderEveryLeader) {
  follow();
  BatchBuilder builder(Offset{0}, epoch, 1000);
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = 30;
  add(builder, level);
  fetched(builder.finish(), Offset{1});
  ApiVersionsRequest request;
  request.client_software_name = "apache-kafka-java";
  request.client_software_version = "4.3.1";
  const auto told = [&] { return machine.asked<ApiVersionsResponse>(request, 3); };
  EXPECT_EQ(told().finalized_features_epoch, 0);
  EXPECT_EQ(told().finalized_features.size(), 1u);
  begins(NodeId{3}, Epoch{6});
  ASSERT_EQ(machine.node().view().leader, NodeId{3});
  EXPECT_EQ(told().finalized_features.size(), 1u);
  pass_ms(10'000);  // nor where nobody leads
  EXPECT_EQ(told().finalized_features_epoch, 0);
  EXPECT_EQ(told().finalized_features.size(), 1u);
}

class SnapshotsOfAStandby : public Standby {
 protected:
  SnapshotsOfAStandby() : Standby({.voters = 3, .snapshot_bytes = 1}) {}
};

// cases.md rows 55 and P10: what has been committed ends within a transaction, then with it. Nobody could go on from a
// snapshot of the first.
TEST_F(SnapshotsOfAStandby, Row55_NoneIsMadeWithinATransactionOfSeveralBatches) {
  follow();
  BatchBuilder first(Offset{0}, epoch, 1000);
  add(first, records::BeginTransactionRecord{});
  add(first, topic("a", 1));
  fetched(first.finish(), Offset{2});
  pass_ms(1000);
  EXPECT_TRUE(machine.node().image().in_transaction());
  EXPECT_TRUE(snapshots.empty());
  fetched({}, Offset{2});
  EXPECT_TRUE(snapshots.empty());

  BatchBuilder second(Offset{2}, epoch, 1000);
  add(second, topic("b", 2));
  add(second, records::EndTransactionRecord{});
  fetched(second.finish(), Offset{4});
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_TRUE(snapshots[0].begins && snapshots[0].ends);
  EXPECT_EQ(snapshots[0].id, (SnapshotId{Offset{4}, epoch}));
  EXPECT_EQ(machine.disk.end(), Offset{4}) << "a batch ends there";

  // With this alone a node is where the log was, and goes on.
  machine.settle();
  const std::uint64_t hash = machine.node().image().hash();
  machine.disk.start = Offset{4};
  machine.disk.batches.clear();
  follow();
  EXPECT_EQ(machine.disk.end(), Offset{4});
  BatchBuilder third(Offset{4}, epoch, 1000);
  add(third, topic("c", 3));
  fetched({}, Offset{4});
  EXPECT_EQ(machine.node().image().hash(), hash);
  fetched(third.finish(), Offset{5});
  for (const char* name : {"a", "b", "c"}) EXPECT_NE(machine.node().image().topics().find(name), nullptr) << name;
}

// Formatted without voters; 2 is the only one.
class AutoJoin : public Standby {
 protected:
  AutoJoin() : Standby(MachineOptions{}) {
    machine.disk.snapshots[0].batches = bootstrap_checkpoint({voter(leader)});
    machine.config.auto_join = true;
  }
  // It asked the only voter for the leader before that told of itself: that answer comes first, and is of no use.
  void join() {
    follow();
    fetched({}, machine.disk.end());
  }
  Voter voter(NodeId id) const {
    const DirectoryId directory = id == machine.config.node_id ? machine.config.directory_id : DirectoryId{Uuid{8, 8}};
    return {id, directory, {{"CONTROLLER", "host-" + std::to_string(id.value), 9093, 0}}, 0, 1};
  }
  void voters_are(std::vector<Voter> voters) {
    const Offset at = machine.disk.end();
    BatchBuilder batch(at, epoch, 1000, BatchKind::control);
    add_control(batch, raft::to_record(raft::VoterSet(std::move(voters)), arena));
    fetched(batch.finish(), Offset{at.value + 1});
  }
};

TEST_F(AutoJoin, AsksUntilItIsAVoter) {
  join();
  EXPECT_FALSE(has_asked_to_join()) << "it has fetched nothing yet";
  fetched({}, Offset{0});
  EXPECT_TRUE(has_asked_to_join());
  AddRaftVoterResponse refused;
  refused.error_code = ErrorCode::request_timed_out;
  machine.peer_answers(leader, refused);
  fetched({}, Offset{0});
  EXPECT_FALSE(has_asked_to_join()) << "not at once";
  pass_ms(1500);
  fetched({}, Offset{0});
  pass_ms(1000);
  EXPECT_TRUE(has_asked_to_join());
  machine.peer_answers(leader, AddRaftVoterResponse{});
  voters_are({voter(machine.config.node_id), voter(leader)});
  pass_ms(1500);
  EXPECT_FALSE(has_asked_to_join());
}

// cases.md row 86: who removed it meant it. A restart is an operator's word.
TEST_F(AutoJoin, Row86_WhoWasRemovedStaysOut) {
  join();
  voters_are({voter(machine.config.node_id), voter(leader)});
  has_asked_to_join();
  voters_are({voter(leader)});
  for (int i = 0; i < 20; ++i) {
    fetched({}, machine.disk.end());
    pass_ms(1500);
  }
  EXPECT_FALSE(has_asked_to_join());
  join();
  fetched({}, machine.disk.end());
  EXPECT_TRUE(has_asked_to_join());
}

}  // namespace
}  // namespace hayward::core

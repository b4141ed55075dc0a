// How a controller begins: the records of its first epoch, and of the next ones, as Kafka writes them
// (records.md 5).
#include <gtest/gtest.h>

#include "engine/core/image/image.h"
#include "tests/node_machine/machine.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

std::vector<std::string> log_of(const Machine& machine, std::size_t from = 0) {
  std::vector<std::string> lines;
  for (std::size_t i = from; i < machine.disk.batches.size(); ++i)
    lines.push_back(describe_batch(machine.disk.batches[i]->bytes));
  return lines;
}

TEST(Activation, FreshDynamicQuorum) {
  Machine machine({.bootstrap_features = true});
  machine.bring_up();
  EXPECT_EQ(log_of(machine),
            (std::vector<std::string>{
                "LeaderChange v0 leader 1 voters [1]; KRaftVersion 1; Voters 1@CONTROLLER://host-1:9093",
                "BeginTransaction v0 \"Bootstrap records\"; FeatureLevel v0 metadata.version=30; "
                "FeatureLevel v0 eligible.leader.replicas.version=1; FeatureLevel v0 group.version=1; "
                "FeatureLevel v0 share.version=1; FeatureLevel v0 streams.version=1; "
                "FeatureLevel v0 transaction.version=2; Config v0 type 4 \"\" min.insync.replicas=1; EndTransaction v0",
                "RegisterController v0 1 endpoints 1 features 7"}));
  EXPECT_TRUE(machine.node().view().active);
  EXPECT_EQ(machine.node().view().high_watermark, machine.disk.end());
}

TEST(Activation, FreshStaticQuorum) {
  Machine machine({.format = Format::static_voters});
  machine.bring_up();
  EXPECT_EQ(log_of(machine),
            (std::vector<std::string>{
                "LeaderChange v0 leader 1 voters [1]",
                "BeginTransaction v0 \"Bootstrap records\"; FeatureLevel v0 metadata.version=30; EndTransaction v0",
                "RegisterController v0 1 endpoints 1 features 7"}));
  EXPECT_EQ(machine.disk.quorum_state->kraft_version, 0);
  EXPECT_EQ(machine.disk.quorum_state->voters, std::vector<NodeId>{NodeId{1}});
}

TEST(Activation, WithoutTransactionsAndControllerRegistrationBelowTheirVersions) {
  Machine machine({.metadata_version = 7});
  machine.bring_up();
  EXPECT_EQ(log_of(machine, 1), (std::vector<std::string>{"FeatureLevel v0 metadata.version=7"}));
  EXPECT_TRUE(machine.node().view().active);
}

TEST(Activation, WithoutBootstrapRecordsTheLatestVersionIsTaken) {
  Machine machine;
  machine.config.bootstrap_records.clear();
  machine.bring_up();
  EXPECT_EQ(log_of(machine)[1],
            "BeginTransaction v0 \"Bootstrap records\"; FeatureLevel v0 metadata.version=30; EndTransaction v0");
}

TEST(Activation, NothingIsSaidBeforeQuorumStateIsDurable) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  machine.start();
  ASSERT_EQ(machine.effects().size(), 2u);
  EXPECT_EQ(describe(machine.effects()[0]), "publish who may act on the cluster: everybody");
  EXPECT_EQ(describe(machine.effects()[1]), "persist quorum-state epoch 1 leader -1 voted 1 kraft.version 1");
  EXPECT_EQ(machine.node().view().leader, no_node);
  machine.persist();
  ASSERT_EQ(machine.effects().size(), 1u);
  EXPECT_EQ(describe(machine.effects()[0]), "persist quorum-state epoch 1 leader 1 voted -1 kraft.version 1");
  EXPECT_EQ(machine.node().view().leader, no_node);
  machine.persist();
  EXPECT_EQ(machine.node().view().leader, NodeId{1});
  EXPECT_EQ(machine.node().view().high_watermark, no_offset);  // R9: nothing of the epoch is durable yet
  EXPECT_FALSE(machine.node().view().active);
}

TEST(Activation, RestartWritesOnlyItsLeaderChangeAndItself) {
  Machine machine({.bootstrap_features = true});
  machine.bring_up();
  const std::size_t before = machine.disk.batches.size();
  machine.config.incarnation_id = IncarnationId{Uuid{0x1c, 2}};
  machine.bring_up_again();
  EXPECT_EQ(log_of(machine, before), (std::vector<std::string>{"LeaderChange v0 leader 1 voters [1]",
                                                               "RegisterController v0 1 endpoints 1 features 7"}));
  EXPECT_EQ(machine.node().view().epoch, Epoch{2});
}

TEST(Activation, VotersAreWrittenAgainWhenOurAddressHasChanged) {
  Machine machine;
  machine.bring_up();
  const std::size_t before = machine.disk.batches.size();
  machine.config.advertised[0].port = 19093;
  machine.bring_up_again();
  EXPECT_EQ(log_of(machine, before)[0],
            "LeaderChange v0 leader 1 voters [1]; KRaftVersion 1; Voters 1@CONTROLLER://host-1:19093");
}

TEST(Activation, EpochGoesOnFromWhateverIsHigher) {
  Machine machine;
  machine.bring_up();
  machine.disk.quorum_state->epoch = Epoch{41};
  machine.bring_up_again();
  EXPECT_EQ(machine.node().view().epoch, Epoch{42});
  machine.disk.quorum_state.reset();  // lost: the log still knows
  machine.bring_up_again();
  EXPECT_EQ(machine.node().view().epoch, Epoch{43});
}

TEST(Activation, NeverLeadsAnEpochTwice) {  // cases.md row 74; R12
  Machine machine;
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.persist();  // voted for itself in epoch 1, and stopped there
  ASSERT_TRUE(machine.restart());
  machine.start();
  machine.settle();
  EXPECT_EQ(machine.node().view().epoch, Epoch{2});
}

TEST(Activation, LastEpochIsTheEnd) {
  Machine machine;
  machine.disk.quorum_state = QuorumState{.epoch = Epoch{2147483647},
                                          .leader = no_node,
                                          .voted = no_node,
                                          .voted_directory = {},
                                          .kraft_version = 1,
                                          .voters = {}};
  ASSERT_TRUE(machine.boot());
  machine.start();
  EXPECT_NE(machine.failure().find("2147483647"), std::string::npos);
}

TEST(Activation, OpenTransactionIsAborted) {
  Machine machine;
  machine.bring_up();
  BatchBuilder open(machine.disk.end(), Epoch{1}, 1);
  open.add(records::BeginTransactionRecord{}, 0);
  records::TopicRecord topic;
  topic.name = "half-made";
  topic.topic_id = TopicId{Uuid{5, 5}};
  open.add(topic, 0);
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = machine.disk.end();
  batch->last = Offset{open.next_offset().value - 1};
  batch->epoch = Epoch{1};
  batch->bytes = open.finish();
  machine.disk.batches.push_back(batch);
  machine.disk.flushed = machine.disk.end();
  const std::size_t before = machine.disk.batches.size();
  machine.bring_up_again();
  EXPECT_EQ(log_of(machine, before),
            (std::vector<std::string>{"LeaderChange v0 leader 1 voters [1]", "AbortTransaction v0"}));
  EXPECT_EQ(machine.node().image().topics().find("half-made"), nullptr);
}

TEST(Activation, OtherVoterSetsAreRefusedByName) {
  Machine stranger;
  stranger.config.directory_id = DirectoryId{Uuid{0xd1, 0xd2}};
  ASSERT_TRUE(stranger.boot());
  stranger.start();
  EXPECT_NE(stranger.failure().find("is not in the voter set"), std::string::npos);

  Machine nobody({.format = Format::static_voters});
  nobody.config.static_voters.clear();
  ASSERT_TRUE(nobody.boot());
  nobody.start();
  EXPECT_NE(nobody.failure().find("no voters"), std::string::npos);
}

TEST(Activation, NoOpRecordsComeByTheClock) {
  Machine machine;
  machine.bring_up();
  const std::size_t before = machine.disk.batches.size();
  machine.pass_ms(1600);
  machine.settle();
  EXPECT_EQ(log_of(machine, before), (std::vector<std::string>{"NoOp v0", "NoOp v0", "NoOp v0"}));
  EXPECT_EQ(machine.disk.batches.back()->bytes.size(), 72u);
}

}  // namespace
}  // namespace hayward::core

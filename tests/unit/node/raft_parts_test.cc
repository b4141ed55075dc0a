// The parts of raft by themselves: epochs, positions in the log, voters, the high watermark.
#include <gtest/gtest.h>

#include "engine/core/raft/epochs.h"
#include "engine/core/raft/leader.h"
#include "engine/core/raft/log_view.h"
#include "engine/core/raft/voters.h"

namespace hayward::core::raft {
namespace {

constexpr Time at_ms(std::int64_t ms) { return {{ms_to_ns(ms)}, ms}; }

TEST(EpochIndex, EndOfAnEpochIsTheStartOfTheNext) {
  EpochIndex epochs({{Epoch{2}, Offset{10}}, {Epoch{5}, Offset{20}}, {Epoch{6}, Offset{30}}});
  EXPECT_EQ(epochs.end_of(Epoch{7}, Offset{40}), std::nullopt);
  EXPECT_EQ(epochs.end_of(Epoch{6}, Offset{40}), (EpochEnd{Epoch{6}, Offset{40}}));
  EXPECT_EQ(epochs.end_of(Epoch{5}, Offset{40}), (EpochEnd{Epoch{5}, Offset{30}}));
  EXPECT_EQ(epochs.end_of(Epoch{4}, Offset{40}), (EpochEnd{Epoch{2}, Offset{20}}));
  EXPECT_EQ(epochs.end_of(Epoch{1}, Offset{40}), (EpochEnd{Epoch{1}, Offset{10}}));
  EXPECT_EQ(epochs.at(Offset{19}), Epoch{2});
  EXPECT_EQ(epochs.at(Offset{20}), Epoch{5});
  EXPECT_EQ(epochs.at(Offset{9}), std::nullopt);
}

TEST(EpochIndex, FollowsTheLog) {
  EpochIndex epochs;
  epochs.add(Epoch{1}, Offset{0});
  epochs.add(Epoch{1}, Offset{3});
  epochs.add(Epoch{4}, Offset{7});
  EXPECT_EQ(epochs.end_of(Epoch{1}, Offset{9}), (EpochEnd{Epoch{1}, Offset{7}}));
  epochs.start_moved(Offset{5});
  EXPECT_EQ(epochs.at(Offset{5}), Epoch{1});
  EXPECT_EQ(epochs.at(Offset{4}), std::nullopt);
  epochs.start_moved(Offset{8});
  EXPECT_EQ(epochs.at(Offset{8}), Epoch{4});
  epochs.truncated(Offset{7});
  EXPECT_EQ(epochs.last(), std::nullopt);
}

// raft.md 6: log start 303 with snapshot 303-1.
class AfterRetention : public ::testing::Test {
 protected:
  static LogState recovered() {
    LogState state;
    state.start = Offset{303};
    state.end = Offset{400};
    state.epochs = {{Epoch{1}, Offset{303}}, {Epoch{3}, Offset{350}}};
    state.snapshots = {{{Offset{303}, Epoch{1}}, 10}, {{Offset{340}, Epoch{1}}, 10}};
    return state;
  }
  FetchPosition::Kind kind(std::int64_t offset, std::int32_t epoch) {
    return log.check(Offset{offset}, Epoch{epoch}).kind;
  }

  LogView log{recovered()};
};

TEST_F(AfterRetention, WhoIsBehindLoadsTheNewestSnapshot) {
  for (const std::int64_t offset : {0, 5, 302}) {
    EXPECT_EQ(kind(offset, 1), FetchPosition::Kind::snapshot);
    EXPECT_EQ(log.check(Offset{offset}, Epoch{1}).snapshot, (SnapshotId{Offset{340}, Epoch{1}}));
  }
  EXPECT_EQ(kind(303, 1), FetchPosition::Kind::valid);
  EXPECT_EQ(kind(303, 0), FetchPosition::Kind::snapshot);
  EXPECT_EQ(kind(350, 1), FetchPosition::Kind::valid);
  EXPECT_EQ(kind(400, 3), FetchPosition::Kind::valid);
}

TEST_F(AfterRetention, WhoHasOtherRecordsIsToldWhereToCut) {
  EXPECT_EQ(log.check(Offset{360}, Epoch{1}).diverging, (EpochEnd{Epoch{1}, Offset{350}}));
  EXPECT_EQ(log.check(Offset{360}, Epoch{2}).diverging, (EpochEnd{Epoch{1}, Offset{350}}));
  EXPECT_EQ(log.check(Offset{401}, Epoch{3}).diverging, (EpochEnd{Epoch{3}, Offset{400}}));
  EXPECT_EQ(log.check(Offset{390}, Epoch{9}).diverging, (EpochEnd{Epoch{3}, Offset{400}}));
}

TEST_F(AfterRetention, OlderSnapshotsGoWithTheLog) {
  log.start_moved(Offset{340});
  ASSERT_EQ(log.snapshots().size(), 1u);
  EXPECT_EQ(log.latest_snapshot()->id.end, Offset{340});
  EXPECT_EQ(kind(303, 1), FetchPosition::Kind::snapshot);
}

TEST(VoterHistory, CountsFromTheRecordOn) {
  VoterHistory history({{NodeId{1}, {}, {}, 0, 1}});
  EXPECT_EQ(history.kraft_version(), 0);
  EXPECT_TRUE(history.last().has({NodeId{1}, DirectoryId{Uuid{1, 1}}}));  // by id alone
  ASSERT_TRUE(history.add_kraft_version(Offset{10}, 1));
  ASSERT_TRUE(history.add_voters(Offset{11}, VoterSet({{NodeId{1}, DirectoryId{Uuid{2, 2}}, {}, 0, 1}})));
  EXPECT_FALSE(history.last().has({NodeId{1}, DirectoryId{Uuid{1, 1}}}));
  EXPECT_TRUE(history.last().has({NodeId{1}, DirectoryId{Uuid{2, 2}}}));
  EXPECT_EQ(history.kraft_version_at(Offset{9}), 0);
  EXPECT_EQ(history.kraft_version_at(Offset{10}), 1);
  EXPECT_FALSE(history.add_voters(Offset{11}, VoterSet()));  // no second one at one offset
  history.truncated(Offset{11});
  EXPECT_TRUE(history.last().has({NodeId{1}, DirectoryId{Uuid{1, 1}}}));
  EXPECT_EQ(history.kraft_version(), 1);
  history.forget_before(Offset{10});
  EXPECT_EQ(history.kraft_version_at(Offset{3}), 1);  // nobody asks for that any more
}

const VoterSet one({{NodeId{1}, {}, {}, 0, 1}});
const VoterSet three({{NodeId{1}, {}, {}, 0, 1}, {NodeId{2}, {}, {}, 0, 1}, {NodeId{3}, {}, {}, 0, 1}});

Leader leader_from(Offset epoch_start, const VoterSet& voters) {
  return Leader({NodeId{1}, {}}, epoch_start, epoch_start, {NodeId{1}}, voters, at_ms(0).mono);
}

TEST(Leader, HighWatermarkNeedsARecordOfTheEpochOnAMajority) {  // R9, R10, R17
  Leader leader = leader_from(Offset{10}, one);
  EXPECT_FALSE(leader.flushed(Offset{10}, one));
  EXPECT_EQ(leader.high_watermark(), no_offset);
  EXPECT_TRUE(leader.flushed(Offset{11}, one));
  EXPECT_EQ(leader.high_watermark(), Offset{11});
  EXPECT_FALSE(leader.flushed(Offset{11}, one));
  leader.fetched({NodeId{5}, {}}, Offset{50}, Offset{50}, one, at_ms(1));
  EXPECT_FALSE(leader.flushed(Offset{11}, one));

  Leader of_three = leader_from(Offset{10}, three);
  EXPECT_FALSE(of_three.flushed(Offset{20}, three));
  EXPECT_EQ(of_three.high_watermark(), no_offset);
  EXPECT_FALSE(of_three.fetched({NodeId{2}, {}}, Offset{10}, Offset{20}, three, at_ms(1)));  // the epoch before
  EXPECT_FALSE(of_three.fetched({NodeId{5}, {}}, Offset{20}, Offset{20}, three, at_ms(1)));  // an observer
  EXPECT_TRUE(of_three.fetched({NodeId{2}, {}}, Offset{15}, Offset{20}, three, at_ms(1)));
  EXPECT_EQ(of_three.high_watermark(), Offset{15});
  EXPECT_TRUE(of_three.fetched({NodeId{3}, {}}, Offset{20}, Offset{20}, three, at_ms(1)));
  EXPECT_EQ(of_three.high_watermark(), Offset{20});
}

TEST(Leader, WithoutAVoteOfItsOwnItIsNotCounted) {  // R14: being removed
  const VoterSet others({{NodeId{2}, {}, {}, 0, 1}, {NodeId{3}, {}, {}, 0, 1}});
  Leader leader = leader_from(Offset{10}, others);
  leader.flushed(Offset{20}, others);
  EXPECT_FALSE(leader.fetched({NodeId{2}, {}}, Offset{20}, Offset{20}, others, at_ms(1)));
  EXPECT_TRUE(leader.fetched({NodeId{3}, {}}, Offset{20}, Offset{20}, others, at_ms(1)));
}

TEST(Leader, AnotherDirectoryIsNoVoter) {  // R14
  const VoterSet dynamic({{NodeId{1}, DirectoryId{Uuid{1, 1}}, {}, 0, 1}, {NodeId{2}, DirectoryId{Uuid{2, 2}}, {}, 0, 1}});
  Leader leader({NodeId{1}, DirectoryId{Uuid{1, 1}}}, Offset{10}, Offset{10}, {NodeId{1}}, dynamic, at_ms(0).mono);
  leader.flushed(Offset{20}, dynamic);
  EXPECT_FALSE(leader.fetched({NodeId{2}, DirectoryId{Uuid{9, 9}}}, Offset{20}, Offset{20}, dynamic, at_ms(1)));
  EXPECT_TRUE(leader.fetched({NodeId{2}, DirectoryId{Uuid{2, 2}}}, Offset{20}, Offset{20}, dynamic, at_ms(1)));
}

TEST(Leader, MajorityHeardAt) {  // R16
  Leader leader = leader_from(Offset{10}, three);
  EXPECT_EQ(leader.majority_heard_at(three), at_ms(0).mono);
  leader.fetched({NodeId{2}, {}}, Offset{10}, Offset{10}, three, at_ms(700));
  leader.heard_of({NodeId{3}, {}}, three, at_ms(500).mono);
  EXPECT_EQ(leader.majority_heard_at(three), at_ms(700).mono);
  EXPECT_EQ(leader_from(Offset{10}, one).majority_heard_at(one), mono_never);
}

TEST(Leader, SuccessorsByWhatTheyHave) {
  Leader leader = leader_from(Offset{10}, three);
  leader.fetched({NodeId{3}, {}}, Offset{12}, Offset{20}, three, at_ms(1));
  leader.fetched({NodeId{2}, {}}, Offset{11}, Offset{20}, three, at_ms(1));
  const std::vector<ReplicaKey> successors = leader.successors(three);
  ASSERT_EQ(successors.size(), 2u);
  EXPECT_EQ(successors[0].id, NodeId{3});
}

TEST(Leader, ObserversAreBounded) {
  Leader leader = leader_from(Offset{0}, one);
  leader.fetched({NodeId{1}, {}}, Offset{1}, Offset{1}, one, at_ms(0));   // ourselves
  leader.fetched({NodeId{-1}, {}}, Offset{1}, Offset{1}, one, at_ms(0));  // a consumer
  EXPECT_TRUE(leader.observers(at_ms(0).mono).empty());
  const auto count = static_cast<std::int32_t>(Leader::max_observers) + 10;
  for (std::int32_t id = 2; id < 2 + count; ++id) leader.fetched({NodeId{id}, {}}, Offset{1}, Offset{1}, one, at_ms(id));
  const auto observers = leader.observers(at_ms(count).mono);
  EXPECT_EQ(observers.size(), Leader::max_observers);
  EXPECT_EQ(observers.front().first.id, NodeId{12});  // those that were silent longest are gone
}

TEST(Leader, CaughtUpTime) {
  Leader leader = leader_from(Offset{0}, one);
  const ReplicaKey broker{NodeId{5}, {}};
  leader.fetched(broker, Offset{5}, Offset{10}, one, at_ms(100));  // behind
  EXPECT_EQ(leader.observers(at_ms(100).mono)[0].second.last_caught_up_wall_ms, -1);
  leader.fetched(broker, Offset{10}, Offset{20}, one, at_ms(200));  // has what there was at 100
  EXPECT_EQ(leader.observers(at_ms(200).mono)[0].second.last_caught_up_wall_ms, 100);
  leader.fetched(broker, Offset{20}, Offset{20}, one, at_ms(300));
  EXPECT_EQ(leader.observers(at_ms(300).mono)[0].second.last_caught_up_wall_ms, 300);
}

}  // namespace
}  // namespace hayward::core::raft

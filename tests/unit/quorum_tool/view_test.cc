// What `hayward quorum` concludes from a leader's account: states, who may be stopped or removed, why the leader changed.
#include "tools/quorum/view.h"

#include <gtest/gtest.h>

#include "tools/quorum/history.h"
#include "tools/quorum/print.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t now_ms = 1'000'000;
constexpr std::int64_t patience_ms = 3000;

// A DescribeQuorum answer of leader 1 with log end 100.
class Account {
 public:
  Account() {
    auto& topic = response_.topics.push_back(arena_);
    partition_ = &topic.partitions.push_back(arena_);
    partition_->leader_id = NodeId{1};
    partition_->leader_epoch = Epoch{7};
    partition_->high_watermark = Offset{100};
  }
  Account& voter(int id, std::int64_t end = 100, std::int64_t fetched_ago_ms = 10, std::int64_t caught_up_ago_ms = 10) {
    add(partition_->current_voters, id, end, fetched_ago_ms, caught_up_ago_ms);
    return *this;
  }
  Account& observer(int id) {
    add(partition_->observers, id, 90, 100, 100);
    return *this;
  }
  QuorumView view() const { return make_view(response_, patience_ms); }

 private:
  void add(auto& group, int id, std::int64_t end, std::int64_t fetched_ago_ms, std::int64_t caught_up_ago_ms) {
    auto& r = group.push_back(arena_);
    r.replica_id = NodeId{id};
    r.log_end_offset = Offset{end};
    const std::int64_t leaders = partition_->leader_id == NodeId{id};
    r.last_fetch_timestamp = leaders ? now_ms : fetched_ago_ms < 0 ? -1 : now_ms - fetched_ago_ms;
    r.last_caught_up_timestamp = leaders ? now_ms : caught_up_ago_ms < 0 ? -1 : now_ms - caught_up_ago_ms;
  }

  Arena arena_;
  messages::DescribeQuorumResponse response_;
  messages::DescribeQuorumResponse::PartitionData* partition_;
};

ReplicaState state(const QuorumView& view, int id) { return view.find(NodeId{id})->state; }
bool stop(const QuorumView& view, int id) { return may_stop(view, NodeId{id}).allowed; }
bool leave(const QuorumView& view, int id) { return may_remove(view, NodeId{id}).allowed; }

TEST(QuorumTool, StatesFollowTheLeadersClock) {
  const QuorumView view = Account().voter(5, 40, 10, -1).voter(1).voter(2).voter(3, 90, 3001, 3001).voter(4, 0, -1, -1).observer(9).view();
  EXPECT_EQ(view.now_ms, now_ms);
  EXPECT_EQ(state(view, 1), ReplicaState::leader);
  EXPECT_EQ(state(view, 2), ReplicaState::current);
  EXPECT_EQ(state(view, 3), ReplicaState::silent);
  EXPECT_EQ(state(view, 4), ReplicaState::silent);
  EXPECT_EQ(state(view, 5), ReplicaState::behind);
  EXPECT_EQ(view.find(NodeId{5})->lag, 60);
  EXPECT_EQ(view.voters.back().id, NodeId{5}) << "by id";
  EXPECT_FALSE(view.find(NodeId{9})->voter);
  EXPECT_EQ(view.find(NodeId{77}), nullptr);
  EXPECT_EQ(view.up_to_date(), 2u);
  EXPECT_FALSE(view.healthy());
}

TEST(QuorumTool, OneOfThreeMayBeStopped) {
  const QuorumView view = Account().voter(1).voter(2).voter(3).observer(9).view();
  EXPECT_TRUE(view.healthy());
  EXPECT_EQ(view.spare(), 1u);
  for (const int id : {1, 2, 3, 9}) EXPECT_TRUE(stop(view, id)) << id;
  EXPECT_NE(may_stop(view, NodeId{1}).advice.find("SIGTERM"), std::string::npos);
}

TEST(QuorumTool, WhenOneIsSilentOnlyThatOneMay) {
  const QuorumView view = Account().voter(1).voter(2).voter(3, 50, 12'000, 12'000).view();
  EXPECT_EQ(view.spare(), 0u);
  EXPECT_FALSE(stop(view, 1));
  EXPECT_FALSE(stop(view, 2));
  EXPECT_TRUE(stop(view, 3));
  const Verdict verdict = may_stop(view, NodeId{2});
  EXPECT_EQ(verdict.reason, "1 of 3 voters would stay up to date and 2 are needed: 3 has not fetched for 12.0 s");
  EXPECT_EQ(verdict.advice, "bring 3 up to date first");
}

TEST(QuorumTool, OneThatDoesNotAnswerHereDoesNotCount) {
  QuorumView view = Account().voter(1).voter(2).voter(3).view();
  view.voters[2].answers = false;
  EXPECT_FALSE(view.healthy());
  EXPECT_FALSE(stop(view, 2));
  EXPECT_TRUE(stop(view, 3));
}

TEST(QuorumTool, TheOnlyVoterAndTwo) {
  EXPECT_FALSE(stop(Account().voter(1).view(), 1));
  EXPECT_FALSE(leave(Account().voter(1).view(), 1));
  const QuorumView two = Account().voter(1).voter(2).view();
  EXPECT_FALSE(stop(two, 1));
  EXPECT_FALSE(stop(two, 2));
  EXPECT_TRUE(leave(two, 2)) << "what is left is a quorum of one, which is up to date";
}

TEST(QuorumTool, RemovalMustLeaveAMajority) {
  const QuorumView view = Account().voter(1).voter(2).voter(3, 50, 12'000, 12'000).view();
  EXPECT_TRUE(leave(view, 3));
  EXPECT_FALSE(leave(view, 2)) << "of 1 and 3 only 1 would be up to date";
  const QuorumView four = Account().voter(1).voter(2).voter(3).voter(4, 50, 12'000, 12'000).view();
  EXPECT_TRUE(leave(four, 2)) << "2 of 3";
  EXPECT_FALSE(stop(four, 2)) << "2 of 4";
}

TEST(QuorumTool, NothingCommittedYetIsNotHealthy) {
  QuorumView view = Account().voter(1).voter(2).view();
  view.high_watermark = -1;
  EXPECT_FALSE(view.healthy());
}

TEST(QuorumTool, AnAnswerWithoutPartitionsIsAnEmptyView) {
  const QuorumView view = make_view({}, patience_ms);
  EXPECT_TRUE(view.voters.empty());
  EXPECT_EQ(view.find(NodeId{1}), nullptr);
}

LeaderChange change(int epoch, int leader, std::optional<std::int64_t> quiet_ms) {
  return {Epoch{epoch}, NodeId{leader}, 50, now_ms - 60'000, quiet_ms, {NodeId{1}, NodeId{2}}, {}};
}
std::string why(const QuorumView& view, LeaderChange now, LeaderChange before) { return why_changed(view, {now, before}); }

TEST(QuorumTool, WhyTheLeaderChanged) {
  const QuorumView view = Account().voter(1).voter(2).voter(3, 50, 12'000, 12'000).view();
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(why_changed(view, {}), "");
  EXPECT_TRUE(has(why(view, change(7, 1, 2600), change(6, 3, 0)), "3 led before; it is down"));
  EXPECT_TRUE(has(why(view, change(7, 1, 2600), change(6, 2, 0)), "had written nothing for 2.6 s"));
  EXPECT_TRUE(has(why(view, change(7, 1, 300), change(6, 2, 0)), "followed within 0.3 s"));
  EXPECT_TRUE(has(why(view, change(7, 1, 300), change(6, 1, 0)), "it led before too"));
  EXPECT_TRUE(has(why(view, change(7, 1, 300), change(6, 8, 0)), "no voter any more"));
  EXPECT_TRUE(has(why(view, change(7, 1, 300), change(4, 2, 0)), "after 2 elections without a winner"));
}

TEST(QuorumTool, TextAndJson) {
  const QuorumView view = Account().voter(1).voter(2).voter(3, 50, 12'000, 12'000).observer(9).view();
  const std::string text = status_text(view, {change(7, 1, 2600), change(6, 3, 0)});
  EXPECT_NE(text.find("leader     1 in epoch 7, for 1 min 0 s"), std::string::npos) << text;
  EXPECT_NE(text.find("NONE MAY FAIL"), std::string::npos) << text;
  EXPECT_NE(text.find("9 (obs.)"), std::string::npos) << text;
  const std::string json = status_json(view, {});
  EXPECT_NE(json.find("\"healthy\":false"), std::string::npos) << json;
  EXPECT_NE(json.find("\"fetched_ago_ms\":12000"), std::string::npos) << json;
  EXPECT_NE(replication_text(view).find("silent"), std::string::npos);
}

TEST(QuorumTool, Durations) {
  EXPECT_EQ(duration_text(0), "0.0 s");
  EXPECT_EQ(duration_text(59'900), "59.9 s");
  EXPECT_EQ(duration_text(250'000), "4 min 10 s");
  EXPECT_EQ(duration_text(7'260'000), "2 h 1 min");
  EXPECT_EQ(duration_text(100'000'000), "1 d 3 h");
}

}  // namespace
}  // namespace hayward::tools

// The controller's shard and one beside it, both on one thread: what crosses between them, in which order, and what a
// full mailbox or an expiry in the mail must not do.
#include "engine/host/driver/lease_shard.h"
#include "engine/host/driver/route.h"
#include "engine/host/driver/shard_set.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/fetch_request.h"
#include "tests/unit/driver/fakes.h"

namespace hayward::driver {
namespace {

constexpr core::BrokerIncarnation broker{NodeId{7}, BrokerEpoch{40}};
constexpr std::int64_t session_ms = 9000;

core::ConnectionId connection(std::uint16_t shard, std::uint32_t slot) {
  return {.slot = slot, .generation = 1, .shard = shard};
}

class ShardsTest : public ::testing::Test {
 protected:
  ShardsTest() : here_(calls_here_), there_(calls_there_) {
    set_.attach(here_);
    shard_.attach(there_);
    events_ = shard_.net_events();
    start();
  }

  void start() {
    set_.set_log_end(Offset{100});
    set_.order(core::PublishClusterAccess{std::make_shared<const core::AccessRules>(core::AuthorizerConfig{})});
    set_.order(core::ResetLeases{Epoch{3}});
    set_.order(core::GrantLease{broker, core_no_offset, {port_.now}});
    set_.order(core::PublishBroker{broker, false, Offset{0}, {}, std::nullopt});
    set_.order(core::SignOfLife{{port_.now}});
    turn();
  }
  // Both shards, the other one first; `in_between` after it.
  void turn(const std::function<void()>& in_between = [] {}) {
    set_.flush();
    shard_.run_once(true);
    in_between();
    controller_turn(0);
  }
  void controller_turn(unsigned completions) {
    const MonoTime now{port_.now};
    set_.receive(now, {.event = [this](core::Event event) { note(event); },
                       .request = [this](const core::Request& request) {
                         log_.push_back("request " + std::to_string(request.api_key) + " " +
                                        std::string(*request.client_id) + " " + std::to_string(request.body.size()));
                       }});
    for (const auto& expired : set_.take_expired(completions, now)) note(expired);
    set_.flush();
  }
  void note(const core::Event& event) {
    if (std::holds_alternative<core::BrokerContacts>(event)) log_.push_back("contacts");
    if (std::holds_alternative<core::ObserverContacts>(event)) log_.push_back("observers");
    if (std::holds_alternative<core::LeasesExpired>(event)) log_.push_back("expired");
    if (std::holds_alternative<core::ConnectionClosed>(event)) log_.push_back("closed");
  }
  core::Request heartbeat(core::ConnectionId from, bool want_fence = false) {
    messages::BrokerHeartbeatRequest message;
    message.broker_id = broker.id;
    message.broker_epoch = broker.epoch;
    message.current_metadata_offset = Offset{50};
    message.want_fence = want_fence;
    body_.resize(encoded_size(message, 2));
    Writer writer(body_);
    encode(writer, message, 2);
    core::Request request;
    request.connection = from;
    request.api_key = 63;
    request.api_version = 2;
    request.client_id = "seven";
    request.body = body_;
    request.arrival = {port_.now};
    return request;
  }
  // Of the broker as an observer in epoch 3, who knows of high watermark 100.
  core::Request fetch(core::ConnectionId from, std::int64_t offset, NodeId replica = broker.id) {
    Arena arena;
    messages::FetchRequest message;
    message.replica_state.replica_id = replica;
    message.max_wait_ms = 500;
    messages::FetchRequest::FetchPartition partition;
    partition.current_leader_epoch = partition.last_fetched_epoch = Epoch{3};
    partition.fetch_offset = Offset{offset};
    partition.high_watermark = Offset{100};
    messages::FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    topic.partitions.push_back(arena, partition);
    message.topics.push_back(arena, topic);
    body_.resize(encoded_size(message, 18));
    Writer writer(body_);
    encode(writer, message, 18);
    core::Request request;
    request.connection = from;
    request.api_key = 1;
    request.api_version = 18;
    request.client_id = "seven";
    request.body = body_;
    request.arrival = {port_.now};
    request.listener = "CONTROLLER";
    return request;
  }
  void publish_up_to(std::int64_t high_watermark) {
    set_.order(core::PublishLog{leader_, Offset{high_watermark}, Offset{0}});
  }
  void append(std::int64_t offset, std::string_view text) {
    EncodedBatch batch;
    batch.base = batch.last = Offset{offset};
    batch.epoch = Epoch{3};
    batch.bytes.assign(as_bytes(text).begin(), as_bytes(text).end());
    EXPECT_FALSE(set_.order(core::Append{std::make_shared<const EncodedBatch>(std::move(batch))})) << "the log's too";
    set_.set_log_end(Offset{offset + 1});
  }
  std::size_t records_there(std::string_view records) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        calls_there_, [&](const std::string& call) { return call.find(records) != std::string::npos; }));
  }
  void arrives(const core::Request& request) {
    events_.arrived(request);
    events_.request(request);
  }
  // Until just before, or just after, the lease of a silent broker has run out and is mailed.
  void pass(std::int64_t ms) {
    for (const std::int64_t end = port_.now + ms_to_ns(ms); port_.now < end; port_.now += ms_to_ns(10)) {
      shard_.run_once(true);
    }
  }

  static constexpr Offset core_no_offset{-1};
  const Settings settings_{.session_timeout_ms = session_ms, .fetch_timeout_ms = 60'000, .shards = 2};
  FakePort port_;
  ShardLink link_;
  SharedLogEnd log_end_{0};
  int woken_here_ = 0, woken_there_ = 0;
  std::vector<std::string> calls_here_, calls_there_, log_;
  FakeNet here_, there_;
  ShardSet set_{settings_, {{link_, [this] { ++woken_there_; }}}, log_end_};
  LeaseShard shard_{port_, settings_, 1, link_, log_end_, [this] { ++woken_here_; },
                    [](core::LogLine::Level, const std::string&) {}};
  NetEvents events_;
  Buffer body_;
  const std::shared_ptr<const core::LeaderFacts> leader_ = std::make_shared<const core::LeaderFacts>(
      core::LeaderFacts{.id = NodeId{3000},
                        .epoch = Epoch{3},
                        .cluster_id = "c",
                        .endpoints = {{"CONTROLLER", "localhost", 9093, 0}},
                        .voters = {NodeId{3000}, NodeId{3001}},
                        .max_bytes = 1 << 20});
};

TEST_F(ShardsTest, ASteadyHeartbeatIsAnsweredThere) {
  port_.turns = {[this] { arrives(heartbeat(connection(1, 4))); }};
  turn();
  ASSERT_EQ(calls_there_.size(), 1u);
  EXPECT_TRUE(calls_there_[0].starts_with("reply 4 "));
  EXPECT_EQ(log_, std::vector<std::string>{}) << "the controller hears of it later, if at all";
}

TEST_F(ShardsTest, EverythingElseIsMailedBehindContactsAndTheAnswerComesBack) {
  port_.turns = {[this] { arrives(heartbeat(connection(1, 4), /*want_fence=*/true)); }};
  turn();
  EXPECT_EQ(log_, (std::vector<std::string>{"contacts", "request 63 seven " + std::to_string(body_.size())}));
  EXPECT_GT(woken_here_, 0);
  set_.reply(connection(1, 4), Buffer(as_bytes("answer").begin(), as_bytes("answer").end()), 20);
  set_.reply(connection(0, 9), Buffer(as_bytes("local").begin(), as_bytes("local").end()), 0);
  set_.close_connection(connection(1, 5), "bad");
  turn();
  EXPECT_EQ(calls_there_, (std::vector<std::string>{"reply 4 answer 20", "close 5 bad"}));
  EXPECT_EQ(calls_here_, std::vector<std::string>{"reply 9 local 0"});
}

// C12: what the controller decided before the turn began is known before any heartbeat of that turn is answered.
TEST_F(ShardsTest, OrdersComeBeforeAnswers) {
  set_.order(core::WithdrawBroker{broker.id});
  port_.turns = {[this] { arrives(heartbeat(connection(1, 4))); }};
  turn();
  EXPECT_TRUE(calls_there_.empty());
  EXPECT_EQ(log_.size(), 2u);
}

// One whole turn of ours, whatever it brings in, if we have not stood still.
TEST_F(ShardsTest, AnExpiryWaitsForWhatIsInOurOwnSockets) {
  int turns_held = 0;
  for (int i = 0; i < 1000 && log_.empty(); ++i) {
    port_.now += ms_to_ns(10);
    shard_.run_once(true);
    controller_turn(3);
    turns_held += set_.holds_expired() ? 1 : 0;
  }
  EXPECT_EQ(log_, std::vector<std::string>{"expired"});
  EXPECT_EQ(turns_held, 1);
}

TEST_F(ShardsTest, L4_AfterAStallOfOursItWaitsUntilNothingMoreComesIn) {
  controller_turn(0);
  pass(session_ms + 1000);
  for (int i = 0; i < 5; ++i) controller_turn(3);
  EXPECT_TRUE(set_.holds_expired());
  controller_turn(0);
  EXPECT_FALSE(set_.holds_expired());
  EXPECT_EQ(log_.back(), "expired");
}

// L1: the heartbeat reached the controller's shard, on a new connection, while the expiry was in the mail.
TEST_F(ShardsTest, AHeartbeatHeardHereUndoesTheExpiry) {
  pass(session_ms + 100);
  set_.touch(heartbeat(connection(0, 1)));
  for (int i = 0; i < 3; ++i) controller_turn(0);
  EXPECT_FALSE(set_.holds_expired());
  EXPECT_TRUE(std::ranges::find(log_, "expired") == log_.end());
  shard_.run_once(true);
  ASSERT_TRUE(shard_.leases().leases().find(broker.id).has_value()) << "granted again";
}

TEST_F(ShardsTest, WhatIsMailedBehindAnExpiryComesBehindIt) {
  pass(session_ms + 100);
  port_.turns = {[this] { arrives(heartbeat(connection(1, 4))); }};
  shard_.run_once(true);
  controller_turn(1);
  controller_turn(0);
  controller_turn(0);
  ASSERT_GE(log_.size(), 2u);
  const auto expired = std::ranges::find(log_, "expired");
  ASSERT_TRUE(expired != log_.end());
  EXPECT_TRUE(std::any_of(expired, log_.end(), [](const std::string& line) { return line.starts_with("request 63"); }));
}

TEST_F(ShardsTest, AFullMailboxBlocksNobodyAndLosesNothing) {
  constexpr std::size_t many = 3 * ShardLink::capacity;
  for (std::uint32_t i = 0; i < many; ++i) set_.reply(connection(1, i), {}, 0);
  set_.touch(heartbeat(connection(0, 1)));
  EXPECT_FALSE(set_.flush());
  port_.turns = {[this] { arrives(heartbeat(connection(1, 9999))); }};
  for (int i = 0; i < 5; ++i) turn();
  EXPECT_TRUE(set_.flush());
  EXPECT_EQ(calls_there_.size(), many + 1);
  EXPECT_TRUE(calls_there_[many].starts_with("reply " + std::to_string(many - 1) + " ") ||
              calls_there_.back().starts_with("reply " + std::to_string(many - 1) + " "));
}

TEST_F(ShardsTest, AnObserversFetchIsAnsweredThereAsSoonAsMoreIsCommitted) {
  publish_up_to(100);
  append(100, "first");
  append(101, "second");
  port_.turns = {[this] {
    arrives(fetch(connection(1, 4), 100));
    arrives(fetch(connection(1, 5), 100));
  }};
  turn();
  EXPECT_TRUE(calls_there_.empty());
  publish_up_to(101);
  turn();
  EXPECT_EQ(records_there("|first|"), 2u);
  EXPECT_EQ(records_there("second"), 0u) << "not committed";
  publish_up_to(102);
  port_.turns = {[this] { arrives(fetch(connection(1, 4), 101)); }};
  turn();
  EXPECT_EQ(records_there("|second|"), 1u);
  EXPECT_TRUE(log_.empty()) << "the controller has had nothing to do";
  pass(120);
  controller_turn(0);
  EXPECT_EQ(log_.back(), "observers");
}

TEST_F(ShardsTest, OtherFetchesAreMailedBehindWhatIsKnownOfObservers) {
  append(100, "before it was published");
  publish_up_to(100);
  append(101, "since");
  publish_up_to(102);
  port_.turns = {[this] {
    arrives(fetch(connection(1, 4), 101));
    arrives(fetch(connection(1, 5), 100));
  }};
  turn();
  EXPECT_EQ(records_there("|since|"), 1u);
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_EQ(log_[0], "observers");
  EXPECT_TRUE(log_[1].starts_with("request 1 "));
}

// An observer must be able to see that its leader has gone silent.
TEST_F(ShardsTest, WhileTheControllerShowsNoLifeNoFetchIsAnswered) {
  publish_up_to(100);
  append(100, "late");
  port_.turns = {[this] { arrives(fetch(connection(1, 4), 100)); }};
  turn();
  pass(499);
  EXPECT_TRUE(calls_there_.empty());
  port_.now += ms_to_ns(settings_.fetch_timeout_ms);
  shard_.run_once(true);
  EXPECT_TRUE(calls_there_.empty());
  set_.order(core::SignOfLife{{port_.now}});
  turn();
  EXPECT_EQ(calls_there_.size(), 1u);
}

TEST_F(ShardsTest, NothingIsKeptForShardsWhileAnotherNodeLeads) {
  publish_up_to(100);
  append(100, "of epoch 3");
  port_.turns = {[this] { arrives(fetch(connection(1, 4), 100)); }};
  turn();
  set_.order(core::PublishLog{});
  turn();
  EXPECT_EQ(calls_there_.size(), 1u) << "what waited";
  append(101, "as a follower");
  port_.turns = {[this] { arrives(fetch(connection(1, 4), 100)); }};
  turn();
  EXPECT_TRUE(log_.back().starts_with("request 1 "));
  EXPECT_EQ(records_there("follower"), 0u);
}

TEST_F(ShardsTest, TheStopIsThatOfAllNets) {
  bool stopped = false;
  set_.stop([&] { stopped = true; });
  turn();
  EXPECT_EQ(calls_here_, std::vector<std::string>{"stop net"});
  EXPECT_EQ(calls_there_, std::vector<std::string>{"stop net"});
  here_.stopped();
  EXPECT_FALSE(stopped);
  port_.turns = {[this] { there_.stopped(); }};
  turn();
  EXPECT_TRUE(stopped);
}

TEST_F(ShardsTest, AConnectionGoesToItsBrokersShard) {
  EXPECT_EQ(owner_of(heartbeat(connection(0, 1)), 0, 2), std::optional<std::uint16_t>(1));
  EXPECT_EQ(owner_of(heartbeat(connection(1, 1)), 1, 2), std::nullopt);
  EXPECT_EQ(owner_of(heartbeat(connection(0, 1)), 0, 1), std::nullopt);
  EXPECT_EQ(set_.owner_of(heartbeat(connection(0, 1))), std::optional<std::uint16_t>(1));
  EXPECT_EQ(set_.owner_of(fetch(connection(0, 1), 100)), std::nullopt) << "this node does not lead";
  publish_up_to(100);
  EXPECT_EQ(set_.owner_of(fetch(connection(0, 1), 100)), std::optional<std::uint16_t>(1));
  EXPECT_EQ(set_.owner_of(fetch(connection(0, 1), 100, NodeId{3001})), std::nullopt) << "a voter";
  EXPECT_EQ(set_.owner_of(fetch(connection(0, 1), 100, NodeId{-1})), std::nullopt) << "a consumer";
  set_.hand_over(Handover{.to = 1, .fd = 33});
  turn();
  EXPECT_EQ(calls_there_, std::vector<std::string>{"adopt 33"});
}

}  // namespace
}  // namespace hayward::driver

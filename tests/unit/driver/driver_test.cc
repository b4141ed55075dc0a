// The driver's duties: effects in order, events from inside a step after it, leases touched first, a stall
// of our own forgiven, the orderly end.
#include "tests/unit/driver/fakes.h"

namespace hayward::driver {
namespace {

constexpr std::int64_t session_ms = 9000;
constexpr core::BrokerIncarnation broker{NodeId{7}, BrokerEpoch{40}};

class DriverTest : public ::testing::Test {
 protected:
  DriverTest() : log_(calls_), net_(calls_) {
    driver_ =
        std::make_unique<Driver>(port_, Settings{.session_timeout_ms = session_ms}, Offset{100},
                                 Controller{.start = [this](const Time&, core::Effects& out) { run(start_, out); },
                                            .step =
                                                [this](const Time& now, const core::Event& event, core::Effects& out) {
                                                  steps_.push_back(event.index());
                                                  times_.push_back(now);
                                                  if (const auto* expired = std::get_if<core::LeasesExpired>(&event))
                                                    expired_.push_back(*expired);
                                                  if (on_step_) on_step_(event, out);
                                                }},
                                 [this](core::LogLine::Level, const std::string& text) { lines_.push_back(text); });
    events_ = driver_->net_events();
    log_events_ = driver_->log_events();
    net_.closed = events_.closed;
    driver_->attach({.log = log_, .net = net_});
  }

  static void run(const std::vector<core::Effect>& effects, core::Effects& out) {
    out.insert(out.end(), effects.begin(), effects.end());
  }
  // What the next step brings about; later ones nothing.
  void next_step(std::vector<core::Effect> effects) {
    on_step_ = [this, effects](const core::Event&, core::Effects& out) {
      run(effects, out);
      on_step_ = nullptr;  // destroys this lambda
    };
  }
  void turn(std::int64_t after_ms) {
    port_.now += ms_to_ns(after_ms);
    driver_->run_once(true);
  }
  // Turns as the loop would: until it waits, then as the armed timers ask for, for so long.
  void idle(std::int64_t for_ms) {
    const std::int64_t end = port_.now + ms_to_ns(for_ms);
    for (port_.waits = {false}; !port_.waits.back();) driver_->run_once(true);  // a draining loop does not wait
    while (port_.next_timer() < end) {
      port_.now = std::max(port_.now, port_.next_timer());
      driver_->run_once(true);
    }
    port_.now = end;
    driver_->run_once(true);
  }
  static core::Effect everybody() {
    return core::PublishClusterAccess{std::make_shared<const core::AccessRules>(core::AuthorizerConfig{})};
  }
  void grant() {
    next_step({everybody(), core::ResetLeases{.controller_epoch = Epoch{3}},
               core::GrantLease{.broker = broker, .recorded = Offset{-1}, .from = MonoTime{port_.now}}});
    log_events_.flushed(Offset{1});
    turn(0);
  }
  // A heartbeat frame as the net announces it.
  void heartbeat(std::int64_t offset = 1) {
    Buffer body(20);
    Writer writer(body);
    writer.write_i32(broker.id.value);
    writer.write_i64(broker.epoch.value);
    writer.write_i64(offset);
    core::Request request;
    request.api_key = 63;
    request.body = body;
    request.arrival = MonoTime{port_.now};
    events_.arrived(request);
  }
  static BatchPtr batch(std::int64_t base, std::int64_t last) {
    auto b = std::make_shared<EncodedBatch>();
    b->base = Offset{base};
    b->last = Offset{last};
    return b;
  }
  static Buffer bytes(std::string_view text) { return Buffer(as_bytes(text).begin(), as_bytes(text).end()); }
  static core::ConnectionId connection(std::uint32_t slot) { return {.slot = slot, .generation = 1, .shard = 0}; }

  FakePort port_;
  std::vector<std::string> calls_;
  FakeLog log_;
  FakeNet net_;
  std::unique_ptr<Driver> driver_;
  NetEvents events_;
  LogEvents log_events_;
  std::vector<core::Effect> start_;
  std::function<void(const core::Event&, core::Effects&)> on_step_;
  std::vector<std::size_t> steps_;
  std::vector<Time> times_;
  std::vector<core::LeasesExpired> expired_;
  std::vector<std::string> lines_;
};

template <class Event>
constexpr std::size_t kind = core::Event(Event{}).index();

TEST_F(DriverTest, EffectsAreCarriedOutInOrder) {
  start_ = {
      core::PersistQuorumState{.state = {}, .token = 5},
      core::Append{.batch = batch(100, 104)},
      core::LogLine{.level = core::LogLine::Level::info, .text = "hello"},
      core::Reply{.connection = connection(1), .bytes = bytes("answer"), .throttle_ms = 20},
      core::WriteSnapshot{.id = {.end = Offset{50}, .epoch = Epoch{1}}, .last_contained_wall_ms = 0, .batches = {}},
      core::Truncate{.end = Offset{103}}};
  driver_->start();
  EXPECT_EQ(calls_,
            (std::vector<std::string>{"persist 5", "append 100", "reply 1 answer 20", "snapshot 50", "truncate 103"}));
  EXPECT_EQ(lines_, std::vector<std::string>{"hello"});
}

TEST_F(DriverTest, RecordsAreReadAndSent) {
  start_ = {
      core::ReplyWithRecords{.connection = connection(2),
                             .head = bytes("h"),
                             .tail = bytes("t"),
                             .from = Offset{3},
                             .to = Offset{9},
                             .max_bytes = 1000,
                             .compact_length = false},
      core::ReplyWithRecords{.connection = connection(3),
                             .head = bytes("h"),
                             .tail = bytes("t"),
                             .from = Offset{9},
                             .to = Offset{9},
                             .max_bytes = 1000},
      core::ReplyWithSnapshotBytes{
          .connection = connection(4), .head = bytes("h"), .tail = bytes("t"), .id = {}, .position = 10, .length = 20}};
  driver_->start();
  ASSERT_EQ(log_.reads.size(), 2u);
  LogSlice slice;
  slice.parts = {as_bytes("ab"), as_bytes("cd")};
  log_.reads[0](true, slice);
  log_.reads[1](false, {});
  EXPECT_EQ(calls_,
            (std::vector<std::string>{"read 3-9 1000", "slice 3 h|t compact", "read snapshot 10 20",
                                      "slice 2 h|ab|cd|t classic", "close 4 what it asked for can no longer be read"}));
}

TEST_F(DriverTest, EventsFromInsideAStepComeAfterIt) {
  start_ = {
      core::CloseConnection{.connection = connection(1), .reason = "bad"},
      core::SendToPeer{.peer = NodeId{2}, .endpoint = {}, .api_key = 52, .api_version = 2, .token = 9, .body = {}},
      core::Reply{.connection = connection(2), .bytes = bytes("last"), .throttle_ms = 0}};
  on_step_ = [this](const core::Event& event, core::Effects&) {
    EXPECT_EQ(calls_.back(), "reply 2 last 0") << "the step before must be carried out wholly";
    if (const auto* reply = std::get_if<core::PeerReply>(&event)) {
      EXPECT_TRUE(reply->failed);
      EXPECT_EQ(reply->token, 9u);
    }
  };
  driver_->start();
  EXPECT_EQ(steps_, (std::vector<std::size_t>{kind<core::ConnectionClosed>, kind<core::PeerReply>}));
}

TEST_F(DriverTest, TheLogsCallBacksBecomeEvents) {
  driver_->start();
  log_events_.flushed(Offset{1});
  log_events_.quorum_state_persisted(4);
  log_events_.snapshot_written({}, true, 10);
  log_events_.log_start_moved(Offset{1});
  EXPECT_EQ(steps_, (std::vector<std::size_t>{kind<core::Flushed>, kind<core::QuorumStatePersisted>,
                                              kind<core::SnapshotWritten>, kind<core::LogStartMoved>}));
}

TEST_F(DriverTest, TheTimerTicksOnceAndCanBeMoved) {
  const std::int64_t begun = port_.now;
  start_ = {core::ArmTimer{.at = MonoTime{begun + ms_to_ns(100)}},
            core::ArmTimer{.at = MonoTime{begun + ms_to_ns(50)}}};
  driver_->start();
  idle(49);
  EXPECT_TRUE(steps_.empty());
  idle(1);
  ASSERT_EQ(steps_, std::vector<std::size_t>{kind<core::Tick>});
  EXPECT_EQ(times_[0].mono.ns, begun + ms_to_ns(50));
  idle(1000);
  EXPECT_EQ(steps_.size(), 1u);
}

TEST_F(DriverTest, AMovedTimerDoesNotTickEarly) {
  const std::int64_t begun = port_.now;
  start_ = {core::ArmTimer{.at = MonoTime{begun + ms_to_ns(50)}},
            core::ArmTimer{.at = MonoTime{begun + ms_to_ns(200)}}};
  driver_->start();
  idle(199);
  EXPECT_TRUE(steps_.empty());
  idle(1);
  EXPECT_EQ(steps_.size(), 1u);
}

TEST_F(DriverTest, ASilentBrokerExpiresAfterItsSessionAndNotBefore) {
  driver_->start();
  grant();
  idle(session_ms - 1);
  EXPECT_TRUE(expired_.empty());
  idle(50);
  ASSERT_EQ(expired_.size(), 1u);
  EXPECT_EQ(expired_[0].controller_epoch, Epoch{3});
  EXPECT_EQ(expired_[0].brokers, std::vector<core::BrokerIncarnation>{broker});
  idle(2 * session_ms);
  EXPECT_EQ(expired_.size(), 1u);
}

TEST_F(DriverTest, AnAnnouncedHeartbeatRenewsTheLease) {
  driver_->start();
  grant();
  for (int i = 0; i < 10; ++i) {
    idle(session_ms / 2);
    heartbeat();
  }
  EXPECT_TRUE(expired_.empty());
  idle(session_ms + 50);
  EXPECT_EQ(expired_.size(), 1u);
}

TEST_F(DriverTest, AHeartbeatsOffsetCountsAgainstTheLogsEnd) {
  start_ = {core::Append{.batch = batch(100, 109)}};
  driver_->start();
  grant();
  heartbeat(109);
  EXPECT_EQ(driver_->leases().leases().find(broker.id)->offset, Offset{109});
  heartbeat(110);  // not below the end: never recorded
  EXPECT_EQ(driver_->leases().leases().find(broker.id)->offset, Offset{109});
}

// The process is stopped for three sessions; the broker kept trying: its heartbeat waits in the socket
// and is reaped only in the third turn after waking.
TEST_F(DriverTest, AStallOfOurOwnFencesNoOne) {
  driver_->start();
  grant();
  idle(session_ms - 500);
  port_.waits.clear();
  port_.turns = {[] {}, [] {}, [this] { heartbeat(); }};
  port_.now += ms_to_ns(3 * session_ms);
  driver_->run_once(true);
  port_.now += ms_to_ns(600);  // beyond the shifted deadline
  driver_->run_once(true);
  driver_->run_once(true);
  EXPECT_TRUE(expired_.empty());
  EXPECT_EQ(port_.waits, (std::vector<bool>{true, false, false})) << "while draining the loop must not wait";
  idle(session_ms - 50);
  EXPECT_TRUE(expired_.empty());
  ASSERT_FALSE(lines_.empty());
  EXPECT_NE(lines_[0].find("stood still for 27000 ms"), std::string::npos) << lines_[0];
  idle(100);
  EXPECT_EQ(expired_.size(), 1u) << "and a broker that then stays silent is fenced";
}

TEST_F(DriverTest, AHeartbeatInTheFirstTurnAfterAStallIsNotShiftedTwice) {
  driver_->start();
  grant();
  port_.turns = {[this] { heartbeat(); }};
  port_.now += ms_to_ns(3 * session_ms);
  driver_->run_once(true);
  idle(session_ms + 50);
  EXPECT_EQ(expired_.size(), 1u);
}

// A step that takes two seconds: a heartbeat that came in meanwhile is reaped only in the next turn.
// cases.md row 1.
TEST_F(DriverTest, ALongStepFencesNoOneWhoseHeartbeatIsQueued) {
  driver_->start();
  grant();
  idle(session_ms - 1000);
  port_.turns = {[this] {
                   on_step_ = [this](const core::Event&, core::Effects&) { port_.now += ms_to_ns(2000); };
                   log_events_.flushed(Offset{2});
                   on_step_ = nullptr;
                 },
                 [] {}, [this] { heartbeat(); }};
  for (int i = 0; i < 4; ++i) driver_->run_once(true);
  EXPECT_TRUE(expired_.empty());
  idle(session_ms - 100);
  EXPECT_TRUE(expired_.empty());
  idle(200);
  EXPECT_EQ(expired_.size(), 1u);
}

TEST_F(DriverTest, DrainingEndsUnderEndlessInput) {
  driver_->start();
  grant();
  port_.now += ms_to_ns(3 * session_ms);
  for (int i = 0; i < 200; ++i) {
    port_.turns.push_back([] {});
    port_.now += ms_to_ns(100);
    driver_->run_once(true);
  }
  EXPECT_EQ(expired_.size(), 1u);
}

TEST_F(DriverTest, TheOrderlyEnd) {
  driver_->start();
  on_step_ = [](const core::Event& event, core::Effects& out) {
    if (std::holds_alternative<core::Stop>(event)) out.push_back(core::Stopped{});
  };
  driver_->stop();
  EXPECT_EQ(calls_, std::vector<std::string>{"stop net"});
  EXPECT_TRUE(driver_->run_once(true));
  events_.closed(connection(1));  // no step any more
  net_.stopped();
  EXPECT_EQ(calls_, (std::vector<std::string>{"stop net", "close"}));
  EXPECT_FALSE(driver_->run_once(true));
  EXPECT_EQ(driver_->outcome(), Driver::Outcome::stopped);
  EXPECT_EQ(steps_, std::vector<std::size_t>{kind<core::Stop>});
}

TEST_F(DriverTest, AFailureEndsEverythingAtOnce) {
  start_ = {core::Append{.batch = batch(100, 100)}, core::Fail{.reason = "offset 7: no such topic"},
            core::Append{.batch = batch(101, 101)}};
  driver_->start();
  EXPECT_EQ(calls_, std::vector<std::string>{"append 100"});
  EXPECT_EQ(driver_->outcome(), Driver::Outcome::failed);
  EXPECT_EQ(driver_->failure(), "offset 7: no such topic");
  EXPECT_EQ(lines_, std::vector<std::string>{"offset 7: no such topic"});
  log_events_.flushed(Offset{101});
  EXPECT_TRUE(steps_.empty());
  EXPECT_FALSE(driver_->run_once(true));
}

TEST_F(DriverTest, TheLogsFailureIsFinal) {
  driver_->start();
  log_events_.failed("disk full");
  EXPECT_EQ(driver_->outcome(), Driver::Outcome::failed);
  EXPECT_EQ(driver_->failure(), "disk full");
}

}  // namespace
}  // namespace hayward::driver

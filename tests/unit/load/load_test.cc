// Whole loads against a controller on the simulated ring: virtual time, so the numbers are exact.
#include <gtest/gtest.h>

#include "tests/unit/load/fake_controller.h"
#include "tools/load/report.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t ms = 1'000'000;

LoadOptions small(double rate_per_s, double duration_s) {
  LoadOptions options;
  options.brokers = 10;
  options.rate_per_s = rate_per_s;
  options.duration_s = duration_s;
  return options;
}

TEST(Load, BrokersRegisterAreUnfencedAndHeartbeatAtTheRate) {
  LoadWorld world;
  world.run(small(1000, 2));
  EXPECT_EQ(world.load->problem(), "");
  EXPECT_EQ(failures(world.outcome()), 0u);
  EXPECT_EQ(world.phase("register").ok, 10u);
  EXPECT_EQ(world.phase("unfence").ok, 30u) << "twice told that it is fenced, then not";
  const PhaseResult& beats = world.phase("steady");
  EXPECT_EQ(beats.ok, 2000u);
  EXPECT_EQ(beats.latency.count(), 2000u);
  EXPECT_NEAR(beats.seconds(), 2, 0.02);
  EXPECT_LT(beats.latency.max_ns(), 5 * ms);
  for (const auto& [id, count] : world.controller->heartbeats) EXPECT_EQ(count, 203u) << "broker " << id;
  EXPECT_EQ(world.controller->heartbeats.size(), 10u);
}

TEST(Load, AStallOfTheControllerIsCountedFromTheIntendedTimes) {
  LoadWorld world;
  bool stalled = false;
  world.on_turn = [&] {
    if (stalled || world.controller->requests < 540) return;  // half a second into the heartbeats
    stalled = true;
    world.controller->silent_until_ns = world.clock.now_ns() + 1000 * ms;
  };
  world.run(small(1000, 2));
  ASSERT_TRUE(stalled);
  EXPECT_EQ(failures(world.outcome()), 0u);
  const PhaseResult& beats = world.phase("steady");
  EXPECT_EQ(beats.ok, 2000u) << "what was due in the stall is sent after it, not left out";
  // A thousand of two thousand requests were due in the stall, and wait half a second on average.
  EXPECT_GT(beats.latency.max_ns(), 990 * ms);
  EXPECT_NEAR(static_cast<double>(beats.latency.percentile_ns(75)), 500 * ms, 60 * ms);
  EXPECT_LT(beats.latency.percentile_ns(40), 5 * ms);
}

TEST(Load, ClosedLoopSendsTheNextWhenTheLastIsAnswered) {
  LoadWorld world;
  world.run(small(0, 1));
  const PhaseResult& beats = world.phase("steady");
  EXPECT_EQ(beats.ok, beats.sent);
  const double by_latency = 10 * 1e9 / beats.latency.mean_ns();  // ten brokers, a second
  EXPECT_NEAR(static_cast<double>(beats.ok), by_latency, by_latency / 10);
}

TEST(Load, WhatIsNeverAnsweredCountsWithTheTimeItHasWaited) {
  LoadWorld world;
  world.on_turn = [&] {
    if (world.controller->requests >= 100) world.controller->silent_until_ns = INT64_MAX;
  };
  LoadOptions options = small(100, 2);
  options.drain_ns = 3000 * ms;
  world.run(options);
  const PhaseResult& beats = world.phase("steady");
  EXPECT_EQ(beats.ok + beats.unanswered, 200u);
  EXPECT_GT(beats.unanswered, 100u);
  EXPECT_EQ(beats.latency.count(), 200u);
  EXPECT_GT(beats.latency.max_ns(), 4000 * ms);
  EXPECT_EQ(failures(world.outcome()), beats.unanswered);
}

TEST(Load, ErrorsAreCountedByKafkasName) {
  LoadWorld world;
  world.controller->registration_errors[1003] = ErrorCode::duplicate_broker_registration;
  world.run(small(0, 1));
  EXPECT_NE(world.load->problem(), "");
  EXPECT_EQ(world.load->results().size(), 1u);
  EXPECT_EQ(world.phase("register").errors.at("DUPLICATE_BROKER_REGISTRATION"), 1u);
  EXPECT_EQ(world.phase("register").ok, 9u);
}

TEST(Load, BrokersThatStayFencedEndTheRun) {
  LoadWorld world;
  world.controller->fenced_answers = INT32_MAX;
  LoadOptions options = small(0, 1);
  options.give_up_s = 0.3;
  EXPECT_NE(world.run(options).problem(), "");
  EXPECT_EQ(world.load->results().size(), 2u);
}

TEST(Load, ABrokenConnectionIsCountedAndMadeAnew) {
  LoadWorld world;
  world.controller->admit = [](std::uint64_t number) { return number != 500; };
  world.run(small(1000, 2));
  const PhaseResult& beats = world.phase("steady");
  EXPECT_EQ(beats.errors.at("CONNECTION_LOST"), 1u);
  EXPECT_EQ(beats.ok, 1999u);
  EXPECT_EQ(failures(world.outcome()), 1u);
  EXPECT_GT(beats.latency.max_ns(), 90 * ms) << "its next ones waited for the new connection";
}

TEST(Load, TopicsAreCreatedBesideSteadyHeartbeats) {
  LoadWorld world;
  LoadOptions options = small(0, 0);
  options.parts = {Part::register_, Part::unfence, Part::create};
  options.topics = 5000;
  options.partitions = 3;
  options.replication_factor = 3;
  options.clients = 2;
  world.run(options);
  EXPECT_EQ(failures(world.outcome()), 0u);
  EXPECT_EQ(world.phase("create").ok, 5000u);
  EXPECT_EQ(world.controller->topics, 5000u);
  EXPECT_EQ(world.controller->last_partitions, 3);
  const PhaseResult& beside = world.phase("create/heartbeats");
  EXPECT_NEAR(static_cast<double>(beside.ok), 5 * world.phase("create").seconds(), 2);
}

TEST(Load, TopicErrorsDoNotStopIt) {
  LoadWorld world;
  world.controller->topic_error = ErrorCode::topic_already_exists;
  LoadOptions options = small(0, 0);
  options.parts = {Part::register_, Part::unfence, Part::create};
  options.topics = 50;
  world.run(options);
  EXPECT_EQ(failures(world.outcome()), 50u);
  EXPECT_EQ(world.phase("create").errors.at("TOPIC_ALREADY_EXISTS"), 50u);
}

TEST(Load, EveryFaultOfTheRingThatLosesNothingLosesNothing) {
  sim::SimFaults faults;
  faults.partial_send_ppm = faults.small_receive_ppm = faults.no_buffers_ppm = faults.multishot_end_ppm = 100'000;
  faults.batch_limit = 3;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    LoadWorld world(seed, faults);
    world.run(small(500, 1));
    EXPECT_EQ(failures(world.outcome()), 0u) << "seed " << seed;
    EXPECT_EQ(world.phase("steady").ok, 500u) << "seed " << seed;
  }
}

TEST(Load, TheReportNamesEverything) {
  LoadWorld world;
  LoadOptions options = small(100, 1);
  world.run(options);
  const std::string json = report_json(world.outcome(), "10.0.0.1:9093", options, 1);
  for (const char* part : {R"("brokers":10)", R"("problem":null)", R"("failures":0)", R"("name":"steady")",
                           R"("ok":100)", R"("p99_99":)", R"("offered_per_s":100)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  }
  EXPECT_NE(report_text(world.outcome()).find("steady: 100 answers"), std::string::npos)
      << report_text(world.outcome());
}

}  // namespace
}  // namespace hayward::tools

// The timer that can be moved, on every back-end.
#include "engine/host/ring/deadline_timer.h"

#include "tests/unit/ring/machine.h"

namespace hayward::ring {
namespace {

constexpr std::int64_t ms = 1'000'000;

class Timer : public OnEveryPort {
 protected:
  static void fired(void* self) {
    auto& test = *static_cast<Timer*>(self);
    ++test.fired_count_;
    test.fired_at_ns_ = test.port().now_ns();
  }
  // Ends what is in flight, so that the timer may go.
  void TearDown() override {
    timer_.set(port().now_ns());
    EXPECT_TRUE(run_until(port(), [&] { return timer_.quiet(); }));
  }

  int fired_count_ = 0;
  std::int64_t fired_at_ns_ = 0;
  DeadlineTimer timer_{port(), fired, this};
};
HAYWARD_ON_EVERY_PORT(Timer);

TEST_P(Timer, FiresOnceAndNotEarly) {
  const std::int64_t at = port().now_ns() + 5 * ms;
  timer_.set(at);
  EXPECT_TRUE(run_until(port(), [&] { return timer_.quiet(); }));
  EXPECT_EQ(fired_count_, 1);
  EXPECT_GE(fired_at_ns_, at);
  EXPECT_EQ(timer_.deadline_ns(), INT64_MAX);
}

TEST_P(Timer, MovedLaterItFiresOnlyThen) {
  const std::int64_t start = port().now_ns();
  timer_.set(start + 2 * ms);
  timer_.set(start + 15 * ms);
  EXPECT_TRUE(run_until(port(), [&] { return fired_count_ > 0; }));
  EXPECT_GE(fired_at_ns_, start + 15 * ms);
}

TEST_P(Timer, MovedEarlierItDoesNotWaitForTheOldDeadline) {
  const std::int64_t start = port().now_ns();
  timer_.set(start + 3'600'000 * ms);
  port().run_once(false);
  timer_.set_if_earlier(start + 5 * ms);
  timer_.set_if_earlier(start + 500'000 * ms);  // changes nothing
  EXPECT_TRUE(run_until(port(), [&] { return fired_count_ > 0; }));
  EXPECT_LT(fired_at_ns_, start + 60'000 * ms);
}

TEST_P(Timer, MovedManyTimesItFiresForTheLastOnly) {
  const std::int64_t start = port().now_ns();
  for (int i = 200; i >= 10; --i) {
    timer_.set(start + i * 1'000 * ms);
    if (i % 7 == 0) port().run_once(false);
  }
  timer_.set(start + 10 * ms);
  EXPECT_TRUE(run_until(port(), [&] { return fired_count_ > 0; }));
  EXPECT_GE(fired_at_ns_, start + 10 * ms);
  EXPECT_LT(fired_at_ns_, start + 10'000 * ms);
  EXPECT_EQ(fired_count_, 1);
}

TEST_P(Timer, TakenBackItDoesNotFire) {
  const std::int64_t start = port().now_ns();
  timer_.set(start + 3 * ms);
  timer_.set(INT64_MAX);
  EXPECT_TRUE(run_until(port(), [&] { return timer_.quiet(); }));
  EXPECT_EQ(fired_count_, 0);
}

TEST(DeadlineTimer, LeavesADeadPortAlone) {
  sim::SimClock clock;
  sim::SimDisk disk(1);
  sim::SimPort port(clock, disk, 2);
  DeadlineTimer timer(port, [](void*) { FAIL(); }, nullptr);
  timer.set(port.now_ns() + ms);
  port.crash_now();
  for (int i = 0; i < 10; ++i) port.run_once(false);
  EXPECT_TRUE(timer.quiet());
  EXPECT_EQ(port.next_due_ns(), sim::SimPort::never);
}

}  // namespace
}  // namespace hayward::ring

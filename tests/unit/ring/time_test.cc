// Timeouts, cancels, nop and wake, on every back-end.
#include <thread>

#include "tests/unit/ring/machine.h"

namespace hayward::ring {
namespace {

using Timing = OnEveryPort;
HAYWARD_ON_EVERY_PORT(Timing);

constexpr std::int64_t ms = 1'000'000;

TEST_P(Timing, TimeoutsFireInOrderAndNotEarly) {
  static std::vector<int> order;
  order.clear();
  Operation late, early, past;
  late.handler = [](Operation&, const Completion& c) { order.push_back(c.result == -ETIME ? 3 : -1); };
  early.handler = [](Operation&, const Completion& c) { order.push_back(c.result == -ETIME ? 2 : -1); };
  past.handler = [](Operation&, const Completion& c) { order.push_back(c.result == -ETIME ? 1 : -1); };
  const std::int64_t start = port().now_ns();
  port().timeout(late, start + 20 * ms);
  port().timeout(early, start + 10 * ms);
  port().timeout(past, start - 10 * ms);
  EXPECT_TRUE(run_until(port(), [&] { return !late.in_flight; }));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_GE(port().now_ns(), start + 20 * ms);
}

TEST_P(Timing, ACancelledTimeoutSaysSo) {
  Recorder timeout(port()), cancel(port());
  port().timeout(timeout.operation, INT64_MAX);
  port().cancel(cancel.operation, timeout.operation);
  EXPECT_TRUE(run_until(port(), [&] { return timeout.done() && cancel.done(); }));
  EXPECT_EQ(timeout.last(), -ECANCELED);
  EXPECT_EQ(cancel.last(), 0);
}

TEST_P(Timing, ACancelOfWhatIsCompleteFindsNothing) {
  Recorder first(port()), cancel(port());
  port().timeout(first.operation, 0);
  EXPECT_TRUE(run_until(port(), [&] { return first.done(); }));
  EXPECT_EQ(first.last(), -ETIME);
  port().cancel(cancel.operation, first.operation);
  EXPECT_TRUE(run_until(port(), [&] { return cancel.done(); }));
  EXPECT_EQ(cancel.last(), -ENOENT);
}

// The operation's memory is in use again when the cancel of its former use arrives.
TEST_P(Timing, ALateCancelDoesNotHitTheNextUse) {
  Recorder used(port()), cancel(port());
  port().timeout(used.operation, 0);
  EXPECT_TRUE(run_until(port(), [&] { return used.done(); }));
  port().cancel(cancel.operation, used.operation);
  port().timeout(used.operation, port().now_ns() + 5 * ms);
  EXPECT_TRUE(run_until(port(), [&] { return used.done() && cancel.done(); }));
  EXPECT_EQ(cancel.last(), -ENOENT);
  EXPECT_EQ(used.last(), -ETIME);
}

TEST_P(Timing, ANopGathersWhatItsRoundSetOff) {
  Recorder nop(port());
  port().nop(nop.operation);
  EXPECT_TRUE(nop.results.empty()) << "not from inside the call";
  EXPECT_TRUE(run_until(port(), [&] { return nop.done(); }));
  EXPECT_EQ(nop.results, (std::vector<std::int32_t>{0}));
}

TEST_P(Timing, RunOnceWithoutWaitReturns) {
  Recorder timeout(port()), cancel(port());
  port().timeout(timeout.operation, INT64_MAX);
  EXPECT_EQ(port().run_once(false), 0u);
  port().cancel(cancel.operation, timeout.operation);
  EXPECT_TRUE(run_until(port(), [&] { return timeout.done() && cancel.done(); }));
}

TEST_P(Timing, AWakeBeforeTheWaitEndsIt) {
  port().wake();
  port().wake();
  EXPECT_EQ(port().run_once(true), 0u);
}

TEST(Uring, AWakeFromAnotherThreadEndsTheWait) {
  RealMachine machine;
  for (int i = 0; i < 100; ++i) {
    bool written = false;
    std::thread waker([&] {
      written = true;
      machine.port().wake();
    });
    machine.port().run_once(true);  // only the wake can end it
    EXPECT_TRUE(written) << "what came before the wake is seen";
    waker.join();
  }
}

TEST(Uring, MayBeDestroyedWithOperationsInFlight) {
  Operation timeout, nop;
  timeout.handler = nop.handler = [](Operation&, const Completion&) { FAIL() << "nobody is there to hear it"; };
  RealMachine machine;
  machine.port().timeout(timeout, INT64_MAX);
  machine.port().nop(nop);
}

TEST(Uring, TwoRingsLiveSideBySide) {
  RealMachine a, b;
  Recorder nop(b.port());
  b.port().nop(nop.operation);
  EXPECT_TRUE(run_until(b.port(), [&] { return nop.done(); }));
}

TEST(RingError, SaysWhyAndWhatToDo) {
  const auto text = [](int error, int disabled) { return explain_setup_error(error, "io_uring_setup", disabled).what; };
  EXPECT_NE(text(EPERM, 2).find("kernel.io_uring_disabled=2"), std::string::npos);
  EXPECT_NE(text(EPERM, 1).find("kernel.io_uring_group"), std::string::npos);
  EXPECT_NE(text(EPERM, 0).find("seccomp"), std::string::npos);
  EXPECT_NE(text(ENOSYS, -1).find("6.1"), std::string::npos);
  EXPECT_NE(text(ENOMEM, 0).find("ulimit -l"), std::string::npos);
  EXPECT_NE(text(EMFILE, 0).find("ulimit -n"), std::string::npos);
  EXPECT_NE(text(EINVAL, 0).find("6.1"), std::string::npos);
  EXPECT_EQ(explain_setup_error(EPERM, "x", 0).error, EPERM);
}

}  // namespace
}  // namespace hayward::ring

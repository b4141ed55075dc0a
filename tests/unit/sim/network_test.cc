// The simulated network: two processes on two hosts, and what may happen between them.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "engine/host/ring/wait.h"
#include "tests/sim/ring/run_ports.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t second = 1'000'000'000;

struct Call {
  Operation operation;
  std::vector<std::int32_t> results;
  std::string received;
  SimPort* port;
  explicit Call(SimPort& p) : port(&p) {
    operation.owner = this;
    operation.handler = [](Operation& op, const Completion& c) {
      auto& call = *static_cast<Call*>(op.owner);
      call.results.push_back(c.result);
      if (c.buffer.empty()) return;
      call.received += as_text(c.buffer);
      call.port->release_buffer(c.buffer_id);
    };
  }
  bool done() const { return !operation.in_flight; }
  std::int32_t last() const { return results.empty() ? 0 : results.back(); }
};

// Host 1 dials host 2.
struct Pair {
  SimClock clock;
  SimDisk disk{1};
  SimNetwork network;
  SimPort client_port, server_port;
  Fd listener = -1, client = -1, server = -1;

  explicit Pair(std::uint64_t seed, const SimFaults& faults = {})
      : network(clock, seed), client_port(clock, disk, seed + 1, faults), server_port(clock, disk, seed + 2, faults) {
    client_port.attach(network, 1);
    server_port.attach(network, 2);
    const sockaddr_in at = SimNetwork::address(2, 9093);
    listener = server_port.make_listener(reinterpret_cast<const sockaddr*>(&at), sizeof at, 16, false);
  }
  // True once ready(); false if everything has come to rest, or after `patience_ns`.
  bool run_until(const std::function<bool()>& ready, std::int64_t patience_ns = 1000 * second) {
    SimPort* const ports[] = {&client_port, &server_port};
    const std::int64_t until_ns = clock.now_ns() + patience_ns;
    while (!ready()) {
      if (!run_next_port(clock, ports, until_ns)) return ready();
    }
    return true;
  }
  std::int32_t dial() {
    Call accept(server_port), connect(client_port), cancel(server_port);
    server_port.accept_multishot(accept.operation, listener);
    const sockaddr_in at = SimNetwork::address(2, 9093);
    client = client_port.make_socket(AF_INET);
    client_port.connect(connect.operation, client, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    run_until([&] {
      if (accept.done() && accept.last() == -EMFILE) server_port.accept_multishot(accept.operation, listener);
      return connect.done() && (connect.last() != 0 || accept.last() > 0);
    });
    server = accept.last();
    if (!accept.done()) server_port.cancel(cancel.operation, accept.operation);
    run_until([&] { return accept.done() && cancel.done(); });
    return connect.last();
  }
  std::int32_t send(std::string_view text) {
    Call call(client_port);
    const iovec part{const_cast<char*>(text.data()), text.size()};
    client_port.send(call.operation, client, {&part, 1});
    EXPECT_TRUE(run_until([&] { return call.done(); }));
    return call.last();
  }
};

TEST(SimNetwork, APartitionHoldsBytesUntilItHeals) {
  Pair pair(1);
  ASSERT_EQ(pair.dial(), 0);
  Call receive(pair.server_port);
  pair.server_port.recv_multishot(receive.operation, pair.server);
  pair.network.cut(1, 2);
  EXPECT_EQ(pair.send("held"), 4);
  EXPECT_FALSE(pair.run_until([&] { return !receive.results.empty(); }, 60 * second));
  pair.network.heal(1, 2);
  EXPECT_TRUE(pair.run_until([&] { return receive.received == "held"; }));
  pair.server_port.crash_now();
  pair.run_until([&] { return receive.done(); });
}

TEST(SimNetwork, AConnectIntoAPartitionWaitsAndThenTimesOut) {
  Pair pair(1);
  pair.network.cut(2, 1);
  const std::int64_t start_ns = pair.clock.now_ns();
  EXPECT_EQ(pair.dial(), -ETIMEDOUT);
  EXPECT_GE(pair.clock.now_ns() - start_ns, 127 * second);
  pair.network.heal(2, 1);
  EXPECT_EQ(pair.dial(), 0);
}

TEST(SimNetwork, AFullWindowBlocksTheSenderUntilTheReaderReads) {
  Pair pair(1);
  ASSERT_EQ(pair.dial(), 0);
  pair.network.window_bytes = 1000;
  EXPECT_EQ(pair.send(std::string(5000, 'x')), 1000);
  Call blocked(pair.client_port), read(pair.server_port);
  const std::string more(10, 'y');
  const iovec part{const_cast<char*>(more.data()), more.size()};
  pair.client_port.send(blocked.operation, pair.client, {&part, 1});
  EXPECT_FALSE(pair.run_until([&] { return blocked.done(); }, second));
  std::byte into[100];
  pair.server_port.recv(read.operation, pair.server, into);
  EXPECT_TRUE(pair.run_until([&] { return blocked.done(); }));
  EXPECT_EQ(blocked.last(), 10);
  EXPECT_EQ(read.last(), 100);
}

TEST(SimNetwork, AResetEndsBothSides) {
  Pair pair(1);
  ASSERT_EQ(pair.dial(), 0);
  Call receive(pair.server_port);
  pair.server_port.recv_multishot(receive.operation, pair.server);
  pair.network.reset(2, 1);
  EXPECT_TRUE(pair.run_until([&] { return receive.done(); }));
  EXPECT_EQ(receive.last(), -ECONNRESET);
  EXPECT_EQ(pair.send("x"), -ECONNRESET);
}

TEST(SimNetwork, TheDeathOfAProcessEndsItsConnections) {
  Pair pair(1);
  ASSERT_EQ(pair.dial(), 0);
  Call receive(pair.client_port), accept(pair.server_port);
  pair.client_port.recv_multishot(receive.operation, pair.client);
  pair.server_port.accept_multishot(accept.operation, pair.listener);
  pair.server_port.crash_now();
  EXPECT_TRUE(pair.run_until([&] { return receive.done() && accept.done(); }));
  EXPECT_EQ(receive.last(), 0);
  EXPECT_EQ(accept.last(), -ESHUTDOWN);
  EXPECT_EQ(pair.send("x"), 1) << "not known here yet";
  EXPECT_TRUE(pair.run_until([&] { return pair.send("x") < 0; }));
  EXPECT_EQ(pair.dial(), -ECONNREFUSED);
}

// A process that takes its whole life to read a stream, through every fault of sockets.
std::uint64_t stream_trace(std::uint64_t seed, FaultCounts& counts) {
  SimFaults faults;
  faults.partial_send_ppm = faults.small_receive_ppm = 500'000;
  faults.no_buffers_ppm = faults.multishot_end_ppm = faults.accept_error_ppm = 100'000;
  Pair pair(seed, faults);
  EXPECT_EQ(pair.dial(), 0);
  Call receive(pair.server_port);
  const std::string text = "the quick brown fox jumps over the lazy dog; then it does so again and again, in order.";
  std::string_view rest = text;
  Call send(pair.client_port);
  iovec part{};
  EXPECT_TRUE(pair.run_until([&] {
    if (send.done() && !rest.empty()) {
      rest.remove_prefix(static_cast<std::size_t>(send.last()));
      part = {const_cast<char*>(rest.data()), rest.size()};
      if (!rest.empty()) pair.client_port.send(send.operation, pair.client, {&part, 1});
    }
    if (receive.done()) pair.server_port.recv_multishot(receive.operation, pair.server);
    return receive.received.size() == text.size();
  }));
  EXPECT_EQ(receive.received, text);
  counts = pair.server_port.counts();
  counts.partial_sends = pair.client_port.counts().partial_sends;
  const std::uint64_t trace = pair.server_port.trace() ^ pair.client_port.trace();
  pair.server_port.crash_now();
  pair.run_until([&] { return receive.done(); });
  return trace;
}

TEST(SimNetwork, TheSameSeedGivesTheSameStream) {
  std::set<std::uint64_t> traces;
  FaultCounts sum, counts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::uint64_t trace = stream_trace(seed, counts);
    EXPECT_EQ(trace, stream_trace(seed, counts));
    traces.insert(trace);
    sum.partial_sends += counts.partial_sends;
    sum.small_receives += counts.small_receives;
    sum.no_buffers += counts.no_buffers;
    sum.multishot_ends += counts.multishot_ends;
    sum.accept_errors += counts.accept_errors;
  }
  EXPECT_EQ(traces.size(), 30u);
  testing::Test::RecordProperty("trace_of_seed_1", std::to_string(stream_trace(1, counts)));
  for (const std::uint64_t count :
       {sum.partial_sends, sum.small_receives, sum.no_buffers, sum.multishot_ends, sum.accept_errors}) {
    EXPECT_GT(count, 0u);
  }
}

}  // namespace
}  // namespace hayward::sim

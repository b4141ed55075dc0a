// The real net code on the simulated ring and network: pieces of any size, partial sends, spurious ends of
// multishot operations, buffers running out, cancels that come too late, resets, a stop in the middle. Every
// answer must come whole and in order, a seed must give the same trace each time, nothing may be left over.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "engine/host/ring/deadline_timer.h"
#include "net/server.h"
#include "schemas/runtime/writer.h"
#include "tests/sim/ring/run_ports.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr core::ServedApi apis[] = {{19, 2, 7, 5, true}};

// What request `id` carries, and what it is answered by.
std::string body_of(std::int32_t id) {
  return std::string(static_cast<std::size_t>(id * 7919 % 9001), static_cast<char>(id));
}
std::string answer_of(std::int32_t id) {
  return std::to_string(id) + ":" +
         std::string(static_cast<std::size_t>(id * 104729 % 40009), static_cast<char>(id + 1));
}

void append_request(Buffer& to, std::int32_t id) {
  const std::string body = body_of(id);
  Buffer frame(4 + 2 + 2 + 4 + 2 + body.size());
  Writer writer(frame);
  writer.write_i32(static_cast<std::int32_t>(frame.size() - 4));
  writer.write_i16(19);
  writer.write_i16(2);
  writer.write_i32(id);
  writer.write_nullable_string(std::nullopt, false);
  writer.write_raw(as_bytes(body));
  to.insert(to.end(), frame.begin(), frame.end());
}

// Sends requests without waiting for answers; reads the answers.
class SimClient {
 public:
  SimClient(SimPort& port, std::int32_t first_id, std::int32_t count)
      : port_(port), next_answer_(first_id), end_(first_id + count) {
    for (std::int32_t id = first_id; id < end_; ++id) append_request(out_, id);
    for (Operation* op : {&connect_, &send_, &recv_, &close_}) op->owner = this;
    connect_.handler = [](Operation& op, const Completion& c) {
      static_cast<SimClient*>(op.owner)->on_connect(c.result);
    };
    send_.handler = [](Operation& op, const Completion& c) { static_cast<SimClient*>(op.owner)->on_send(c.result); };
    recv_.handler = [](Operation& op, const Completion& c) { static_cast<SimClient*>(op.owner)->on_recv(c.result); };
    close_.handler = [](Operation&, const Completion&) {};
    fd_ = port_.make_socket(AF_INET);
    address_ = SimNetwork::address(1, 9093);
    port_.connect(connect_, fd_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_);
  }

  bool answered() const { return next_answer_ == end_; }
  bool ended() const { return ended_; }
  void hang_up() { port_.shutdown(close_, fd_, SHUT_RDWR); }

 private:
  void on_connect(std::int32_t result) {
    ASSERT_EQ(result, 0);
    send_more();
    port_.recv(recv_, fd_, room_);
  }
  void send_more() {
    part_ = {out_.data() + sent_, out_.size() - sent_};
    if (part_.iov_len > 0) port_.send(send_, fd_, {&part_, 1});
  }
  void on_send(std::int32_t result) {
    if (result <= 0) return;
    sent_ += static_cast<std::size_t>(result);
    send_more();
  }
  void on_recv(std::int32_t result) {
    if (result <= 0) {
      ended_ = true;
      return;
    }
    in_ += as_text(Bytes(room_).first(static_cast<std::size_t>(result)));
    for (;;) {
      const std::string expected = answer_of(next_answer_);
      if (in_.size() < 4 + expected.size()) break;
      ASSERT_TRUE(in_.compare(4, expected.size(), expected) == 0) << "answer " << next_answer_;
      in_.erase(0, 4 + expected.size());
      ++next_answer_;
    }
    port_.recv(recv_, fd_, room_);
  }

  SimPort& port_;
  std::int32_t next_answer_;
  std::int32_t end_;
  Fd fd_ = -1;
  sockaddr_in address_{};
  Buffer out_;
  std::size_t sent_ = 0;
  iovec part_{};
  std::string in_;
  Buffer room_ = Buffer(5000);
  bool ended_ = false;
  Operation connect_, send_, recv_, close_;
};

// One server on host 1; answers at once or a little later, as a seed decides.
class World {
 public:
  explicit World(std::uint64_t seed, const SimFaults& faults, net::ServerConfig config = {})
      : network(clock, seed),
        server_port(clock, disk, seed + 1, faults),
        client_port(clock, disk, seed + 2),
        prng_(seed + 3),
        later_(server_port, [](void* owner) { static_cast<World*>(owner)->answer_later(); }, this) {
    server_port.attach(network, 1, {.entries = 64, .recv_buffers = 4, .recv_buffer_bytes = 1024});
    client_port.attach(network, 2);
    config.read_ahead_bytes = 3000;
    server = std::make_unique<net::Server>(
        server_port, config, apis,
        driver::NetEvents{.arrived = [this](const core::Request& r) { arrived.push_back(r.correlation_id); },
                          .request = [this](const core::Request& r) { on_request(r); },
                          .closed = [this](core::ConnectionId) { ++closed; }},
        nullptr);
    const sockaddr_in at = SimNetwork::address(1, 9093);
    const Fd fd = server_port.make_listener(reinterpret_cast<const sockaddr*>(&at), sizeof at, 50, false);
    server->listen({{.name = "CONTROLLER", .fd = fd, .port = 9093}});
  }

  bool run_until(const std::function<bool()>& ready, std::int64_t patience_ns = 100 * second) {
    SimPort* const ports[] = {&server_port, &client_port};
    const std::int64_t until_ns = clock.now_ns() + patience_ns;
    while (!ready()) {
      if (!run_next_port(clock, ports, until_ns)) return ready();
    }
    return true;
  }
  bool stop() {
    bool stopped = false;
    server->stop([&] { stopped = true; });
    return run_until([&] { return stopped; });
  }

  SimClock clock;
  SimDisk disk{1};
  SimNetwork network;
  SimPort server_port, client_port;
  std::unique_ptr<net::Server> server;
  std::vector<std::int32_t> arrived;
  int closed = 0;

 private:
  void on_request(const core::Request& request) {
    ASSERT_TRUE(as_text(request.body) == body_of(request.correlation_id)) << request.correlation_id;
    if (prng_.chance(1, 2)) return answer(request.connection, request.correlation_id);
    waiting_.emplace_back(request.connection, request.correlation_id);
    later_.set_if_earlier(clock.now_ns() + static_cast<std::int64_t>(prng_.below(5'000'000)));
  }
  void answer_later() {
    for (const auto& [connection, id] : std::exchange(waiting_, {})) answer(connection, id);
  }
  void answer(core::ConnectionId connection, std::int32_t id) {
    const std::string text = answer_of(id);
    const Bytes bytes = as_bytes(text);
    server->reply(connection, Buffer(bytes.begin(), bytes.end()),
                  /*throttle_ms=*/static_cast<std::int32_t>(prng_.below(3)));
  }

  Prng prng_;
  ring::DeadlineTimer later_;
  std::vector<std::pair<core::ConnectionId, std::int32_t>> waiting_;
};

SimFaults all_faults() {
  SimFaults faults;
  faults.partial_send_ppm = 300'000;
  faults.small_receive_ppm = 100'000;
  faults.no_buffers_ppm = 100'000;
  faults.multishot_end_ppm = 100'000;
  faults.accept_error_ppm = 300'000;
  faults.late_cancel_ppm = 300'000;
  faults.batch_limit = 3;
  return faults;
}

constexpr int clients = 6;
constexpr std::int32_t requests_each = 25;

struct Outcome {
  std::uint64_t trace = 0;
  FaultCounts faults;
};

Outcome all_are_answered(std::uint64_t seed, const SimFaults& faults) {
  World world(seed, faults);
  std::vector<std::unique_ptr<SimClient>> all;
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<SimClient>(world.client_port, 1 + i * requests_each, requests_each));
  }
  EXPECT_TRUE(world.run_until([&] { return std::ranges::all_of(all, [](const auto& c) { return c->answered(); }); }))
      << "seed " << seed;
  EXPECT_EQ(world.arrived.size(), static_cast<std::size_t>(clients * requests_each));
  EXPECT_EQ(world.server->stats().buffered_bytes, 0u);
  EXPECT_TRUE(world.stop()) << "seed " << seed;
  EXPECT_EQ(world.closed, clients);
  EXPECT_EQ(world.server->stats().connections, 0u);
  EXPECT_TRUE(world.run_until([&] { return std::ranges::all_of(all, [](const auto& c) { return c->ended(); }); }));
  return {world.server_port.trace(), world.server_port.counts()};
}

TEST(SimNet, EveryAnswerComesWholeAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) all_are_answered(seed, {});
}

TEST(SimNet, AndSoItIsWithEveryFaultOfTheRing) {
  FaultCounts sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const FaultCounts struck = all_are_answered(seed, all_faults()).faults;
    sum.partial_sends += struck.partial_sends;
    sum.small_receives += struck.small_receives;
    sum.no_buffers += struck.no_buffers;
    sum.multishot_ends += struck.multishot_ends;
    sum.accept_errors += struck.accept_errors;
    sum.late_cancels += struck.late_cancels;
    sum.cancelled_first += struck.cancelled_first;
  }
  for (const std::uint64_t count : {sum.partial_sends, sum.small_receives, sum.no_buffers, sum.multishot_ends,
                                    sum.accept_errors, sum.late_cancels, sum.cancelled_first}) {
    EXPECT_GT(count, 10u) << "every fault must have struck";
  }
}

TEST(SimNet, ASeedGivesTheSameTrace) {
  const auto trace = [](std::uint64_t seed) { return all_are_answered(seed, all_faults()).trace; };
  EXPECT_EQ(trace(5), trace(5));
  EXPECT_NE(trace(5), trace(6));
}

TEST(SimNet, ConnectionsThatBreakAnywhereLeaveNothing) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    World world(seed, all_faults());
    SimClient client(world.client_port, 1, 40);
    SimClient other(world.client_port, 100, 40);
    const std::int64_t break_ns = world.clock.now_ns() + static_cast<std::int64_t>(seed) * 2'000'000;
    world.run_until([&] { return world.clock.now_ns() >= break_ns; });
    if (seed % 3 == 0)
      world.network.reset(1, 2);
    else
      client.hang_up();
    world.run_until([&] { return other.answered() || other.ended(); });
    EXPECT_TRUE(world.stop()) << "seed " << seed;
    EXPECT_EQ(world.server->stats().connections, 0u);
    EXPECT_EQ(world.server->stats().buffered_bytes, 0u) << "seed " << seed;
    EXPECT_EQ(world.closed, static_cast<int>(world.server->stats().accepted));
    world.run_until([&] { return client.ended() && other.ended(); });
  }
}

TEST(SimNet, StoppedAnywhereItEndsInTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    World world(seed, all_faults());
    SimClient client(world.client_port, 1, 40);
    const std::int64_t stop_ns = world.clock.now_ns() + static_cast<std::int64_t>(seed) * 1'500'000;
    world.run_until([&] { return world.clock.now_ns() >= stop_ns; });
    EXPECT_TRUE(world.stop()) << "seed " << seed;
    EXPECT_LE(world.clock.now_ns() - stop_ns, 3 * second / 2) << "seed " << seed;
    EXPECT_EQ(world.server->stats().connections, 0u);
    EXPECT_EQ(world.server->stats().buffered_bytes, 0u);
  }
}

// A peer whose direction is cut does not hold a connection for ever.
TEST(SimNet, ASilentPeerIsClosedWhenIdle) {
  net::ServerConfig config;
  config.idle_ms = 600'000;
  World world(1, {}, config);
  SimClient client(world.client_port, 1, 1);
  ASSERT_TRUE(world.run_until([&] { return client.answered(); }));
  world.network.cut(2, 1);
  const std::int64_t begun_ns = world.clock.now_ns();
  EXPECT_TRUE(world.run_until([&] { return world.closed == 1; }, 1000 * second));
  EXPECT_NEAR(static_cast<double>(world.clock.now_ns() - begun_ns), 600e9, 1e9);
  EXPECT_EQ(world.server->stats().closed_for(net::CloseReason::idle), 1u);
}

}  // namespace
}  // namespace hayward::sim

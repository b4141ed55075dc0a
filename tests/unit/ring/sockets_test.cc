// Socket operations, on every back-end.
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/ring/machine.h"

namespace hayward::ring {
namespace {

class Sockets : public OnEveryPort {
 protected:
  explicit Sockets(const RingOptions& options = {}) : OnEveryPort(options) {}

  void SetUp() override {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener_ = port().make_listener(reinterpret_cast<sockaddr*>(&any), sizeof any, 16, false);
    ASSERT_GE(listener_, 0);
    ASSERT_EQ(port().local_address(listener_, address_), 0);
    port().accept_multishot(accept_.operation, listener_);
  }
  void TearDown() override {
    Recorder cancel(port());
    if (!accept_.done()) port().cancel(cancel.operation, accept_.operation);
    EXPECT_TRUE(run_until(port(), [&] { return accept_.done() && cancel.done(); }));
  }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

  // A connected pair: the client's end, the server's end.
  std::pair<Fd, Fd> connected() {
    const std::size_t before = accept_.results.size();
    const Fd client = port().make_socket(AF_INET);
    EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.connect(op, client, address(), sizeof(sockaddr_in)); }),
              0);
    EXPECT_TRUE(run_until(port(), [&] { return accept_.results.size() > before; }));
    return {client, accept_.last()};
  }
  std::int32_t send(Fd fd, std::string_view text) {
    const iovec one = part(text);
    return wait_for(port(), [&](Port& p, Operation& op) { p.send(op, fd, {&one, 1}); });
  }
  void send_all(Fd fd, std::string_view text) {
    while (!text.empty()) {
      const std::int32_t count = send(fd, text);
      ASSERT_GT(count, 0);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  std::int32_t close(Fd fd) {
    return wait_for(port(), [&](Port& p, Operation& op) { p.close(op, fd); });
  }

  Fd listener_ = -1;
  sockaddr_storage address_{};
  Recorder accept_{port()};
};
HAYWARD_ON_EVERY_PORT(Sockets);

TEST_P(Sockets, EchoByMultishotReceiveAndGatherSend) {
  const auto [client, server] = connected();
  Recorder at_server(port()), at_client(port());
  port().recv_multishot(at_server.operation, server);
  port().recv_multishot(at_client.operation, client);
  for (int round = 1; round <= 50; ++round) {
    send_all(client, "hello");
    EXPECT_TRUE(run_until(port(), [&] { return at_server.received.size() == 5u * round; }));
    const iovec parts[] = {part("ec"), part("ho")};
    EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.send(op, server, parts); }), 4);
    EXPECT_TRUE(run_until(port(), [&] { return at_client.received.size() == 4u * round; }));
  }
  EXPECT_FALSE(at_server.done()) << "one receive for all of it";
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.shutdown(op, client, SHUT_WR); }), 0);
  EXPECT_TRUE(run_until(port(), [&] { return at_server.done(); }));
  EXPECT_EQ(at_server.last(), 0) << "the peer's end";
  EXPECT_EQ(close(server), 0);
  EXPECT_TRUE(run_until(port(), [&] { return at_client.done(); }));
  EXPECT_EQ(at_client.last(), 0);
  EXPECT_EQ(close(client), 0);
}

TEST_P(Sockets, ABigStreamArrivesWholeAndInOrder) {
  const auto [client, server] = connected();
  Recorder at_server(port());
  port().recv_multishot(at_server.operation, server);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i * 7 % 26);
  std::string_view rest = text;
  bool sending = false;
  struct Sender {
    Operation operation;
    std::string_view* rest;
    bool* sending;
  } sender{{}, &rest, &sending};
  sender.operation.owner = &sender;
  sender.operation.handler = [](Operation& op, const Completion& c) {
    auto& s = *static_cast<Sender*>(op.owner);
    ASSERT_GT(c.result, 0);
    s.rest->remove_prefix(static_cast<std::size_t>(c.result));
    *s.sending = false;
  };
  iovec one{};
  EXPECT_TRUE(run_until(port(), [&] {
    if (!sending && !rest.empty()) {
      one = part(rest);
      sending = true;
      port().send(sender.operation, client, {&one, 1});
    }
    if (at_server.done()) port().recv_multishot(at_server.operation, server);
    return at_server.received.size() == text.size();
  }));
  EXPECT_EQ(at_server.received, text);
  close(client);
  EXPECT_TRUE(run_until(port(), [&] { return at_server.done(); }));
}

TEST_P(Sockets, AddressesOfBothEnds) {
  const auto [client, server] = connected();
  sockaddr_storage a{}, b{};
  EXPECT_EQ(port().local_address(client, a), 0);
  EXPECT_EQ(port().peer_address(server, b), 0);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof(sockaddr_in)), 0);
  EXPECT_EQ(port().peer_address(listener_, b), -ENOTCONN);
}

TEST_P(Sockets, ARefusedConnectSaysSo) {
  Recorder cancel(port());
  port().cancel(cancel.operation, accept_.operation);
  EXPECT_TRUE(run_until(port(), [&] { return accept_.done() && cancel.done(); }));
  EXPECT_EQ(accept_.last(), -ECANCELED);
  EXPECT_EQ(close(listener_), 0);
  const Fd client = port().make_socket(AF_INET);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.connect(op, client, address(), sizeof(sockaddr_in)); }),
            -ECONNREFUSED);
}

TEST_P(Sockets, AnAddressIsTakenOnce) {
  EXPECT_EQ(port().make_listener(address(), sizeof(sockaddr_in), 16, false), -EADDRINUSE);
}

TEST_P(Sockets, ACancelledReceiveEndsAndLeavesTheConnection) {
  const auto [client, server] = connected();
  Recorder receive(port()), cancel(port());
  port().recv_multishot(receive.operation, server);
  port().cancel(cancel.operation, receive.operation);
  EXPECT_TRUE(run_until(port(), [&] { return receive.done() && cancel.done(); }));
  EXPECT_EQ(receive.last(), -ECANCELED);
  EXPECT_EQ(cancel.last(), 0);
  send_all(client, "still here");
  std::byte into[100];
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.recv(op, server, into); }), 10);
  // The other order: complete before the cancel comes.
  send_all(client, "x");
  Recorder late(port());
  port().recv(receive.operation, server, into);
  EXPECT_TRUE(run_until(port(), [&] { return receive.done(); }));
  EXPECT_EQ(receive.last(), 1);
  port().cancel(late.operation, receive.operation);
  EXPECT_TRUE(run_until(port(), [&] { return late.done(); }));
  EXPECT_EQ(late.last(), -ENOENT);
}

TEST_P(Sockets, SendingToWhoIsGoneFailsWithoutASignal) {
  const auto [client, server] = connected();
  close(server);
  std::int32_t result = 0;
  for (int i = 0; i < 100 && result >= 0; ++i) {
    result = send(client, "into the void");
    wait_for(port(), [&](Port& p, Operation& op) { p.timeout(op, p.now_ns() + 1'000'000); });
  }
  EXPECT_TRUE(result == -EPIPE || result == -ECONNRESET) << result;
}

struct FewBuffers : Sockets {
  FewBuffers() : Sockets({.entries = 16, .recv_buffers = 4, .recv_buffer_bytes = 256}) {}
};
HAYWARD_ON_EVERY_PORT(FewBuffers);

TEST_P(FewBuffers, ADryRingEndsTheReceiveAndLosesNothing) {
  const auto [client, server] = connected();
  Recorder receive(port());
  receive.release_at_once = false;
  port().recv_multishot(receive.operation, server);
  const std::string text(2000, 'x');
  send_all(client, text);
  EXPECT_TRUE(run_until(port(), [&] { return receive.done(); }));
  EXPECT_EQ(receive.last(), -ENOBUFS);
  EXPECT_EQ(receive.held.size(), 4u);
  while (receive.received.size() < text.size()) {
    for (const std::uint16_t id : std::exchange(receive.held, {})) port().release_buffer(id);
    if (receive.done()) port().recv_multishot(receive.operation, server);
    ASSERT_TRUE(run_until(port(), [&] { return receive.done() || receive.received.size() == text.size(); }));
  }
  EXPECT_EQ(receive.received, text);
  for (const std::uint16_t id : receive.held) port().release_buffer(id);
  close(client);
  EXPECT_TRUE(run_until(port(), [&] { return receive.done(); }));
}

}  // namespace
}  // namespace hayward::ring

// Opening listeners: addresses, ports in use, pairs.
#include "net/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace hayward::net {
namespace {

using Opened = std::expected<std::vector<OpenListener>, std::string>;

void close_all(const Opened& opened) {
  for (const OpenListener& listener : *opened) ::close(listener.fd);
}

TEST(Listener, APortInUseIsOneClearLine) {
  const ListenerSpec first{.name = "CONTROLLER", .host = "127.0.0.1"};
  const Opened opened = open_listeners({&first, 1});
  ASSERT_TRUE(opened) << opened.error();
  const std::uint16_t port = opened->front().port;
  EXPECT_NE(port, 0);
  const ListenerSpec second{.name = "CONTROLLER", .host = "127.0.0.1", .port = port};
  const Opened refused = open_listeners({&second, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "listener CONTROLLER://127.0.0.1:" + std::to_string(port) +
                                 ": address already in use: another process (or another listener) has this port");
  close_all(opened);
  const Opened again = open_listeners({&second, 1});
  ASSERT_TRUE(again) << again.error();
  close_all(again);
}

// Of a process that was killed the kernel keeps the listener until it has taken its ring apart.
TEST(Listener, APortThatIsGivenUpSoonIsWaitedFor) {
  const ListenerSpec first{.name = "CONTROLLER", .host = "127.0.0.1"};
  const Opened opened = open_listeners({&first, 1});
  ASSERT_TRUE(opened) << opened.error();
  const ListenerSpec second{.name = "CONTROLLER", .host = "127.0.0.1", .port = opened->front().port};
  std::thread goes_late([&] {
    ::usleep(100'000);
    close_all(opened);
  });
  const Opened again = open_listeners({&second, 1});
  goes_late.join();
  ASSERT_TRUE(again) << again.error();
  close_all(again);
}

TEST(Listener, NeitherDoesAListenerWithReusePortShareIt) {
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  ::setsockopt(other, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  socklen_t length = sizeof(address);
  ::getsockname(other, reinterpret_cast<sockaddr*>(&address), &length);
  const ListenerSpec spec{.name = "C", .host = "127.0.0.1", .port = ntohs(address.sin_port)};
  EXPECT_FALSE(open_listeners({&spec, 1}));
  ::close(other);
}

TEST(Listener, AllOrNone) {
  const ListenerSpec good{.name = "A", .host = "127.0.0.1"};
  const Opened first = open_listeners({&good, 1});
  ASSERT_TRUE(first);
  const std::uint16_t port = first->front().port;
  close_all(first);
  const ListenerSpec specs[] = {{.name = "A", .host = "127.0.0.1", .port = port}, {.name = "B", .host = "203.0.113.1"}};
  const Opened refused = open_listeners(specs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rfind("listener B://203.0.113.1:0: ", 0), 0u) << refused.error();
  const Opened again = open_listeners({specs, 1});  // A was let go
  ASSERT_TRUE(again) << again.error();
  close_all(again);
}

TEST(Listener, NamesAndWildcards) {
  for (const char* host : {"localhost", "", "0.0.0.0"}) {
    const ListenerSpec spec{.name = "C", .host = host};
    const Opened opened = open_listeners({&spec, 1});
    ASSERT_TRUE(opened) << opened.error();
    // Each can be reached by IPv4.
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(opened->front().port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0) << host;
    ::close(client);
    close_all(opened);
  }
}

TEST(Listener, AnUnknownNameIsOneClearLine) {
  const ListenerSpec spec{.name = "C", .host = "no-such-host.invalid", .port = 1};
  const Opened refused = open_listeners({&spec, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rfind("listener C://no-such-host.invalid:1: cannot resolve the host: ", 0), 0u)
      << refused.error();
}

TEST(Listener, AnIpv4AndIpv6Pair) {
  const int probe = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) GTEST_SKIP() << "no IPv6 here";
  ::close(probe);
  const ListenerSpec any{.name = "A", .host = "0.0.0.0"};
  const Opened found = open_listeners({&any, 1});
  ASSERT_TRUE(found);
  const std::uint16_t port = found->front().port;
  close_all(found);
  const ListenerSpec pair[] = {{.name = "A", .host = "0.0.0.0", .port = port},
                               {.name = "B", .host = "::", .port = port}};
  const Opened opened = open_listeners(pair);
  ASSERT_TRUE(opened) << opened.error();
  close_all(opened);
}

TEST(Listener, AcceptedSocketsInheritTheOptions) {
  const ListenerSpec spec{.name = "C", .host = "127.0.0.1"};
  const Opened opened = open_listeners({&spec, 1});
  ASSERT_TRUE(opened);
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(opened->front().port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const int accepted = ::accept(opened->front().fd, nullptr, nullptr);
  ASSERT_GE(accepted, 0);
  int value = 0;
  socklen_t length = sizeof(value);
  EXPECT_EQ(::getsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &value, &length), 0);
  EXPECT_NE(value, 0);
  EXPECT_EQ(::getsockopt(accepted, SOL_SOCKET, SO_KEEPALIVE, &value, &length), 0);
  EXPECT_NE(value, 0);
  ::close(accepted);
  ::close(client);
  close_all(opened);
}

}  // namespace
}  // namespace hayward::net

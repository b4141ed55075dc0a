// A Server on a real ring over loopback, a handler that keeps what it is given, and plain clients; all on
// the test's one thread, which turns the ring until something has come true (or ten seconds have passed).
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/ring/uring.h"
#include "net/server.h"
#include "schemas/runtime/writer.h"

namespace hayward::net {

inline constexpr core::ServedApi test_apis[] = {
    {1, 4, 18, 12, true}, {18, 0, 4, 3, true}, {19, 2, 7, 5, true}, {63, 0, 2, 0, true}, {30000, 0, 0, 0, false}};

inline void append(Buffer& to, std::string_view text) {
  const Bytes bytes = as_bytes(text);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

inline Buffer to_buffer(std::string_view text) {
  Buffer out;
  append(out, text);
  return out;
}

inline Buffer size_prefix(std::int32_t size) {
  Buffer out(4);
  Writer(out).write_i32(size);
  return out;
}

// A whole request frame; header v1, or v2 when `flexible`.
inline Buffer request_frame(std::int16_t key, std::int16_t version, std::int32_t correlation_id, std::string_view body,
                            bool flexible = false) {
  Buffer out(4 + 2 + 2 + 4 + 2 + 4 + (flexible ? 1 : 0) + body.size());
  Writer writer(out);
  writer.write_i32(static_cast<std::int32_t>(out.size() - 4));
  writer.write_i16(key);
  writer.write_i16(version);
  writer.write_i32(correlation_id);
  writer.write_string("test", /*compact=*/false);
  if (flexible) writer.write_uvarint(0);
  writer.write_raw(as_bytes(body));
  return out;
}

struct KeptRequest {
  core::ConnectionId connection;
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  std::int32_t correlation_id = 0;
  std::string client_id;
  std::string body;
  std::string listener;
  MonoTime arrival;
  core::ClientAddress address;
};

inline KeptRequest keep(const core::Request& r) {
  return {r.connection,
          r.api_key,
          r.api_version,
          r.correlation_id,
          std::string(r.client_id.value_or("<null>")),
          std::string(as_text(r.body)),
          std::string(r.listener),
          r.arrival,
          r.client_address};
}

// A blocking-free client socket.
class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer_bytes = 0) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes > 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(receive_buffer_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int result = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    EXPECT_TRUE(result == 0 || errno == EINPROGRESS) << std::strerror(errno);
    pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
    EXPECT_EQ(::poll(&wait, 1, 10'000), 1);
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  // As much as the socket takes now.
  std::size_t send_some(Bytes bytes) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  void send_all(Bytes bytes) { EXPECT_EQ(send_some(bytes), bytes.size()); }
  void send_all(std::string_view text) { send_all(as_bytes(text)); }

  // Takes in what is there, at most `limit` bytes; true while the connection is alive.
  bool receive(std::size_t limit = SIZE_MAX) {
    std::byte room[65536];
    while (limit > 0 && !ended_) {
      const ssize_t got = ::recv(fd_, room, std::min(limit, sizeof(room)), MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (got <= 0) {
        ended_ = true;
        break;
      }
      received_.insert(received_.end(), room, room + got);
      limit -= static_cast<std::size_t>(got);
    }
    return !ended_;
  }
  bool ended() {
    receive();
    return ended_;
  }
  // The next whole frame's payload as text; empty: none yet.
  std::string next_frame() {
    receive();
    if (received_.size() < 4) return {};
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | std::to_integer<std::size_t>(received_[static_cast<std::size_t>(i)]);
    if (received_.size() < 4 + size) return {};
    std::string frame(as_text(Bytes(received_).subspan(4, size)));
    received_.erase(received_.begin(), received_.begin() + 4 + static_cast<std::ptrdiff_t>(size));
    return frame;
  }
  std::size_t received_bytes() const { return received_.size(); }

 private:
  int fd_ = -1;
  bool ended_ = false;
  Buffer received_;
};

class NetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto port = ring::create_uring(ring_options_);
    ASSERT_TRUE(port.has_value());
    port_ = std::move(*port);
  }
  void TearDown() override {
    if (server_ == nullptr) return;
    if (!stopped_) {
      server_->stop([this] { stopped_ = true; });
      EXPECT_TRUE(until([this] { return stopped_; }));
    }
    EXPECT_EQ(server_->stats().connections, 0u);
    EXPECT_EQ(server_->stats().buffered_bytes, 0u);
    port_.reset();  // before the server: nothing may be in flight when that goes
  }

  void start(const ServerConfig& config = {}, int send_buffer_bytes = 102400) {
    const ListenerSpec spec{.name = "CONTROLLER", .host = "127.0.0.1", .send_buffer_bytes = send_buffer_bytes};
    auto listeners = open_listeners({&spec, 1});
    ASSERT_TRUE(listeners.has_value()) << listeners.error();
    listen_port_ = listeners->front().port;
    driver::NetEvents events{.arrived = [this](const core::Request& r) { arrived_.push_back(keep(r)); },
                             .request = [this](const core::Request& r) { handle(r); },
                             .closed = [this](core::ConnectionId id) { closed_.push_back(id); }};
    server_ = std::make_unique<Server>(*port_, config, test_apis, std::move(events),
                                       [this](core::LogLine::Level, std::string text) { lines_.push_back(text); });
    server_->listen(std::move(*listeners));
  }

  void handle(const core::Request& request) {
    requests_.push_back(keep(request));
    if (on_request_) on_request_(requests_.back());
  }
  void echo() {
    on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, to_buffer("re:" + r.body), 0); };
  }

  // Turns the ring until `condition` holds; false after ten seconds.
  bool until(const std::function<bool()>& condition) {
    const std::int64_t give_up_ns = port_->now_ns() + ms_to_ns(10'000);
    while (!condition()) {
      if (port_->now_ns() > give_up_ns) return false;
      if (port_->run_once(false) == 0) ::sched_yield();
    }
    return true;
  }
  // Turns the ring for a while: what was on its way should be there, what must not happen had its chance.
  void settle(std::int64_t for_ms = 30) {
    const std::int64_t until_ns = port_->now_ns() + ms_to_ns(for_ms);
    while (port_->now_ns() < until_ns) {
      if (port_->run_once(false) == 0) ::sched_yield();
    }
  }
  std::string wait_frame(Client& client) {
    std::string frame;
    EXPECT_TRUE(until([&] { return !(frame = client.next_frame()).empty(); }));
    return frame;
  }
  std::uint64_t closed_for(CloseReason reason) const { return server_->stats().closed_for(reason); }

  ring::RingOptions ring_options_;
  std::unique_ptr<ring::Port> port_;
  std::unique_ptr<Server> server_;
  std::uint16_t listen_port_ = 0;
  std::deque<KeptRequest> requests_;
  std::vector<KeptRequest> arrived_;
  std::vector<core::ConnectionId> closed_;
  std::vector<std::string> lines_;
  std::function<void(const KeptRequest&)> on_request_;
  bool stopped_ = false;
};

}  // namespace hayward::net

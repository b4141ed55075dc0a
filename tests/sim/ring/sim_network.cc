#include "tests/sim/ring/sim_network.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hayward::sim {
namespace {

constexpr std::uint32_t net = 10u << 24;
constexpr std::uint32_t loopback = 127u << 24 | 1;

}  // namespace

sockaddr_in SimNetwork::address(Host host, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(net | host);
  out.sin_port = htons(port);
  return out;
}

// Any of the host's own addresses means the host. IPv6 is understood as wildcard and loopback only.
bool SimNetwork::parse(const sockaddr* address, Host own, SocketName& out) {
  out.host = own;
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, address, sizeof v6);
    out.port = ntohs(v6.sin6_port);
    return IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) || IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  if (address->sa_family != AF_INET) return false;
  sockaddr_in v4;
  std::memcpy(&v4, address, sizeof v4);
  out.port = ntohs(v4.sin_port);
  const std::uint32_t ip = ntohl(v4.sin_addr.s_addr);
  if (ip == 0 || ip == loopback) return true;
  out.host = static_cast<Host>(ip & 0xff);
  return (ip & ~0xffu) == net;
}

std::int64_t SimNetwork::latency_ns() {
  const auto spread = static_cast<std::uint64_t>(std::max<std::int64_t>(max_latency_ns - min_latency_ns, 0));
  return min_latency_ns + 1 + static_cast<std::int64_t>(prng_.below(spread + 1));
}

void SimNetwork::poke(SimSocket& socket, std::int64_t at_ns) {
  if (socket.user != nullptr && at_ns != SimSocket::never) socket.user->socket_may_go_on(socket, at_ns);
}

// --- faults

void SimNetwork::cut(Host from, Host to) { cuts_.insert({from, to}); }

void SimNetwork::heal(Host from, Host to) {
  if (cuts_.erase({from, to}) == 0) return;
  forget_closed();
  for (const auto& weak : connections_) {
    const SocketPtr socket = weak.lock();
    if (socket->name.host != to || socket->peer_name.host != from) continue;
    const std::int64_t at_ns = clock_.now_ns() + latency_ns();
    for (auto& segment : socket->inbound) {
      if (segment.arrives_ns == SimSocket::never) segment.arrives_ns = at_ns;
    }
    if (socket->reset_held) reset_at(*socket, at_ns);
    poke(*socket, at_ns);
  }
}

void SimNetwork::reset(Host a, Host b) {
  forget_closed();
  for (const auto& weak : connections_) {
    const SocketPtr socket = weak.lock();
    const std::pair<Host, Host> ends{socket->name.host, socket->peer_name.host};
    if (ends == std::pair{a, b} || ends == std::pair{b, a}) reset_at(*socket, clock_.now_ns());
  }
}

// What has not arrived by then never does.
void SimNetwork::reset_at(SimSocket& socket, std::int64_t at_ns) {
  if (at_ns >= socket.reset_ns) return;
  socket.reset_ns = at_ns;
  std::erase_if(socket.inbound, [&](const auto& segment) { return segment.arrives_ns > at_ns; });
  socket.unread_bytes = 0;
  for (const auto& segment : socket.inbound) socket.unread_bytes += segment.bytes.size() - segment.taken;
  poke(socket, at_ns);
}

void SimNetwork::send_reset(SimSocket& to) {
  to.reset_held = is_cut(to.peer_name.host, to.name.host);
  if (!to.reset_held) reset_at(to, clock_.now_ns() + latency_ns());
}

void SimNetwork::forget_closed() {
  std::erase_if(connections_, [](const auto& weak) { return weak.expired(); });
}

// --- sockets

SocketPtr SimNetwork::make(SocketUser& user, Host host) {
  auto socket = std::make_shared<SimSocket>();
  socket->user = &user;
  socket->name.host = host;
  return socket;
}

std::uint16_t SimNetwork::free_port(Host host) {
  do {
    if (++last_port_ < 40000) last_port_ = 40000;
  } while (listeners_.contains({host, last_port_}));
  return last_port_;
}

int SimNetwork::listen(const SocketPtr& socket, const sockaddr* address, int backlog, bool reuse_port) {
  SocketName name;
  if (!parse(address, socket->name.host, name) || name.host != socket->name.host) return -EADDRNOTAVAIL;
  if (name.port == 0) name.port = free_port(name.host);
  auto& there = listeners_[name];
  if (!there.empty() && !reuse_port) return -EADDRINUSE;
  socket->name = name;
  socket->listening = true;
  socket->backlog_limit = static_cast<std::size_t>(std::max(backlog, 1));
  there.push_back(socket);
  return 0;
}

SimNetwork::Connect SimNetwork::connect(const SocketPtr& socket, SocketName to) {
  const Host from = socket->name.host;
  if (is_cut(from, to.host) || is_cut(to.host, from)) return Connect::waits;
  const auto found = listeners_.find(to);
  if (found == listeners_.end()) return Connect::refused;
  SimSocket& listener = *found->second[prng_.below(found->second.size())];
  if (listener.backlog.size() >= listener.backlog_limit) return Connect::waits;
  socket->name.port = free_port(from);
  socket->peer_name = to;
  auto server = std::make_shared<SimSocket>();
  server->name = to;
  server->peer_name = socket->name;
  server->user = listener.user;
  server->peer = socket;
  socket->peer = server;
  socket->connected = server->connected = true;
  if (connections_.size() > 1000) forget_closed();
  connections_.push_back(socket);
  connections_.push_back(server);
  const std::int64_t at_ns = clock_.now_ns() + latency_ns();
  listener.backlog.emplace_back(at_ns, std::move(server));
  poke(listener, at_ns);
  return Connect::done;
}

SocketPtr SimNetwork::accept(SimSocket& listener, SocketUser& user) {
  if (listener.backlog.empty() || listener.backlog.front().first > clock_.now_ns()) return nullptr;
  SocketPtr socket = std::move(listener.backlog.front().second);
  listener.backlog.pop_front();
  socket->user = &user;
  return socket;
}

std::int64_t SimNetwork::next_input_ns(const SimSocket& socket) const {
  std::int64_t at_ns = socket.reset_ns;
  if (!socket.inbound.empty()) at_ns = std::min(at_ns, socket.inbound.front().arrives_ns);
  if (!socket.backlog.empty()) at_ns = std::min(at_ns, socket.backlog.front().first);
  return at_ns;
}

std::int32_t SimNetwork::recv(SimSocket& socket, MutableBytes into) {
  if (socket.read_shut) return 0;
  if (!socket.connected) return -ENOTCONN;
  if (socket.inbound.empty() || socket.inbound.front().arrives_ns > clock_.now_ns()) {
    return socket.reset_ns <= clock_.now_ns() ? -ECONNRESET : -EAGAIN;
  }
  auto& segment = socket.inbound.front();
  if (segment.bytes.empty()) return 0;  // stays: every later read finds the end too
  const std::size_t count = std::min(into.size(), segment.bytes.size() - segment.taken);
  std::copy_n(segment.bytes.begin() + static_cast<std::ptrdiff_t>(segment.taken), count, into.begin());
  segment.taken += count;
  socket.unread_bytes -= count;
  if (segment.taken == segment.bytes.size()) socket.inbound.pop_front();
  if (socket.peer != nullptr) poke(*socket.peer, clock_.now_ns() + latency_ns());  // its window has opened
  return static_cast<std::int32_t>(count);
}

std::int32_t SimNetwork::send(SimSocket& socket, Bytes bytes) {
  if (socket.write_shut) return -EPIPE;
  if (!socket.connected) return -ENOTCONN;
  if (socket.reset_ns <= clock_.now_ns()) return -ECONNRESET;
  if (socket.peer == nullptr) {  // closed there: its answer to this is a reset
    send_reset(socket);
    return static_cast<std::int32_t>(bytes.size());
  }
  const std::size_t room = window_bytes - std::min(window_bytes, socket.peer->unread_bytes);
  if (room == 0 && !bytes.empty()) return -EAGAIN;
  bytes = bytes.first(std::min(room, bytes.size()));
  if (!bytes.empty()) deliver(*socket.peer, Buffer(bytes.begin(), bytes.end()));
  return static_cast<std::int32_t>(bytes.size());
}

void SimNetwork::deliver(SimSocket& to, Buffer bytes) {
  std::int64_t at_ns = is_cut(to.peer_name.host, to.name.host) ? SimSocket::never : clock_.now_ns() + latency_ns();
  if (!to.inbound.empty()) at_ns = std::max(at_ns, to.inbound.back().arrives_ns);
  to.unread_bytes += bytes.size();
  to.inbound.push_back({at_ns, std::move(bytes), 0});
  poke(to, at_ns);
}

int SimNetwork::shutdown(SimSocket& socket, bool read, bool write) {
  if (!socket.connected) return -ENOTCONN;
  if (write && !socket.write_shut) {
    socket.write_shut = true;
    if (socket.peer != nullptr) deliver(*socket.peer, {});
  }
  socket.read_shut = socket.read_shut || read;
  poke(socket, clock_.now_ns());
  return 0;
}

// With input unread the peer gets a reset, else an orderly end.
void SimNetwork::close(const SocketPtr& socket) {
  socket->user = nullptr;
  if (socket->listening) {
    auto& there = listeners_[socket->name];
    std::erase(there, socket);
    if (there.empty()) listeners_.erase(socket->name);
    for (auto& [at_ns, waiting] : std::exchange(socket->backlog, {})) close(waiting);
  }
  const SocketPtr peer = std::exchange(socket->peer, nullptr);
  if (peer == nullptr) return;
  peer->peer = nullptr;
  if (socket->unread_bytes > 0) {
    send_reset(*peer);
  } else if (!socket->write_shut) {
    deliver(*peer, {});
  }
  socket->inbound.clear();
}

}  // namespace hayward::sim

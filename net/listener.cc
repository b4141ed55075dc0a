// See listener.h.
#include "net/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace hayward::net {
namespace {

struct BindAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  bool ipv6_only = false;
};

std::string describe(const ListenerSpec& spec) {
  const bool ipv6 = spec.host.find(':') != std::string::npos;
  return "listener " + spec.name + "://" + (ipv6 ? "[" + spec.host + "]" : spec.host) + ":" + std::to_string(spec.port);
}

std::string reason(int error) {
  if (error == EADDRINUSE) return "address already in use: another process (or another listener) has this port";
  return std::strerror(error);
}

bool ipv6_available() {
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

// One address per listener, as with Kafka: of a name's, the first IPv4 one, else the first.
std::expected<BindAddress, std::string> resolve(const ListenerSpec& spec) {
  std::string host = spec.host;
  if (host.empty()) host = ipv6_available() ? "::" : "0.0.0.0";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(spec.port).c_str(), &hints, &found);
  if (error != 0) {
    return std::unexpected(std::string("cannot resolve the host: ") +
                           (error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  const addrinfo* chosen = found;
  for (const addrinfo* at = found; at != nullptr && chosen->ai_family != AF_INET; at = at->ai_next) {
    if (at->ai_family == AF_INET) chosen = at;
  }
  BindAddress out;
  std::memcpy(&out.storage, chosen->ai_addr, chosen->ai_addrlen);
  out.length = chosen->ai_addrlen;
  return out;
}

bool set_option(int fd, int level, int option, int value) {
  return ::setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

bool set_options(int fd, const ListenerSpec& spec, const BindAddress& address) {
  bool ok = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);  // a restart need not wait for TIME_WAIT to end
  if (address.storage.ss_family == AF_INET6) ok = ok && set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, address.ipv6_only);
  ok = ok && set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1) && set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  if (spec.send_buffer_bytes != -1) ok = ok && set_option(fd, SOL_SOCKET, SO_SNDBUF, spec.send_buffer_bytes);
  if (spec.receive_buffer_bytes != -1) ok = ok && set_option(fd, SOL_SOCKET, SO_RCVBUF, spec.receive_buffer_bytes);
  return ok;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  // sin_port and sin6_port lie at the same place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

// The descriptor, or -errno.
int bind_and_listen(const ListenerSpec& spec, const BindAddress& address) {
  const int fd = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  if (set_options(fd, spec, address) &&
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0 &&
      ::listen(fd, spec.backlog) == 0) {
    return fd;
  }
  const int error = errno;
  ::close(fd);
  return -error;
}

// The kernel takes a killed process's ring apart after the process itself is gone, and until then the ring holds
// the listener it accepted on: whoever is started again at once finds its port in use for some milliseconds more.
std::expected<ring::Fd, std::string> bind_patiently(const ListenerSpec& spec, const BindAddress& address) {
  constexpr int tries = 100;
  constexpr useconds_t pause_us = 10'000;
  int result = bind_and_listen(spec, address);
  for (int i = 1; result == -EADDRINUSE && i < tries; ++i) {
    ::usleep(pause_us);
    result = bind_and_listen(spec, address);
  }
  if (result < 0) return std::unexpected(reason(-result));
  return result;
}

// An IPv6 listener leaves IPv4 alone when another one has the same port: an IPv4/IPv6 pair.
bool shares_port(std::span<const ListenerSpec> specs, const ListenerSpec& spec) {
  return spec.port != 0 && std::ranges::count(specs, spec.port, &ListenerSpec::port) > 1;
}

std::expected<OpenListener, std::string> open_one(std::span<const ListenerSpec> specs, const ListenerSpec& spec) {
  std::expected<BindAddress, std::string> address = resolve(spec);
  if (!address) return std::unexpected(describe(spec) + ": " + address.error());
  address->ipv6_only = shares_port(specs, spec);
  const std::expected<ring::Fd, std::string> fd = bind_patiently(spec, *address);
  if (!fd) return std::unexpected(describe(spec) + ": " + fd.error());
  return OpenListener{.name = spec.name, .fd = *fd, .port = bound_port(*fd)};
}

}  // namespace

std::expected<std::vector<OpenListener>, std::string> open_listeners(std::span<const ListenerSpec> specs) {
  std::vector<OpenListener> opened;
  for (const ListenerSpec& spec : specs) {
    std::expected<OpenListener, std::string> one = open_one(specs, spec);
    if (!one) {
      for (const OpenListener& listener : opened) ::close(listener.fd);
      return std::unexpected(one.error());
    }
    opened.push_back(std::move(*one));
  }
  return opened;
}

}  // namespace hayward::net

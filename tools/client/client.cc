#include "tools/client/client.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hayward::tools {
namespace {

constexpr std::int32_t max_answer_bytes = 64 << 20;

std::unexpected<std::string> fault(const std::string& address, const std::string& found) {
  return std::unexpected(address + ": expected a controller's listener, found " + found);
}

bool send_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int fd, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t received = recv(fd, at, size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    at += received;
    size -= static_cast<std::size_t>(received);
  }
  return true;
}

// The first of the resolved addresses that accepts; -1 with errno of the last.
int connect_first(const addrinfo* found, const timeval& timeout) {
  for (const addrinfo* at = found; at; at = at->ai_next) {
    const int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (fd < 0) continue;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) return fd;
    const int error = errno;
    close(fd);
    errno = error;
  }
  return -1;
}

}  // namespace

std::expected<Client, std::string> Client::connect(const std::string& address, int timeout_ms) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return std::unexpected("--controller: expected host:port, found \"" + address + "\"");
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found))
    return fault(address, gai_strerror(error));
  const timeval timeout{timeout_ms / 1000, (timeout_ms % 1000) * 1000};
  const int fd = connect_first(found, timeout);
  const int error = errno;
  freeaddrinfo(found);
  if (fd < 0) return fault(address, std::strerror(error));
  return Client(fd, address);
}

Client::~Client() {
  if (fd_ >= 0) close(fd_);
}

socklen_t Client::peer_address(sockaddr_storage& out) const {
  socklen_t length = sizeof out;
  return getpeername(fd_, reinterpret_cast<sockaddr*>(&out), &length) == 0 ? length : 0;
}

std::expected<void, std::string> Client::exchange(const Buffer& frame) {
  Buffer size(4);
  Writer(size).write_i32(static_cast<std::int32_t>(frame.size()));
  if (!send_all(fd_, size.data(), size.size()) || !send_all(fd_, frame.data(), frame.size()))
    return fault(address_, "a closed connection");
  if (!receive_all(fd_, size.data(), size.size())) return fault(address_, "no answer (not Hayward, or not reachable)");
  const std::int32_t length = Reader(size).read_i32();
  if (length <= 0 || length > max_answer_bytes) return std::unexpected(not_understood());
  answer_.resize(static_cast<std::size_t>(length));
  if (!receive_all(fd_, answer_.data(), answer_.size())) return fault(address_, "an answer cut short");
  return {};
}

std::string Client::not_understood() const {
  return address_ + ": expected a Hayward controller's answer, found other bytes";
}

}  // namespace hayward::tools

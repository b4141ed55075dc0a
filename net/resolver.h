// Host names to addresses, off the shard: getaddrinfo may take as long as it likes, on a thread of its own, and the answer
// comes back through the ring.
// Owner: the shard whose port it was made with; calls and call-backs on its thread.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/host/ring/ring.h"

namespace hayward::net {

struct ResolvedAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  bool ok() const { return length > 0; }
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  // The first address of `host` (IPv4 before IPv6) with `port`; not ok(): there is none, for now. `done` may come from
  // inside the call, where the host is an address in numbers already.
  using Done = std::function<void(const ResolvedAddress& address)>;
  virtual void resolve(const std::string& host, std::uint16_t port, Done done) = 0;
};

// An address in numbers; not ok(): it is a name.
ResolvedAddress numeric_address(const std::string& host, std::uint16_t port);

// By the system. Its thread and its descriptor come with the first name; while they cannot be had, no name resolves.
std::unique_ptr<Resolver> make_system_resolver(ring::Port& port);

}  // namespace hayward::net

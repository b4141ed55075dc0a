// Host names to addresses, off the shard: getaddrinfo may take as long as it likes, on threads of its own, and the answer
// comes back through the ring.
// Owner: the shard whose port it was made with; calls and call-backs on its thread.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/ring/ring.h"

namespace hayward::net {

struct ResolvedAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};
using Addresses = std::vector<ResolvedAddress>;  // none: the name does not resolve, for now

class Resolver {
 public:
  virtual ~Resolver() = default;
  // All addresses of `host` (IPv4 before IPv6, else in the system's order) with `port`. `done` may come from inside the call,
  // where the host is an address in numbers already.
  using Done = std::function<void(const Addresses& addresses)>;
  virtual void resolve(const std::string& host, std::uint16_t port, Done done) = 0;
};

// One address, or none: it is a name.
Addresses numeric_address(const std::string& host, std::uint16_t port);

// Blocks; called on any thread.
using LookUp = std::function<Addresses(const std::string& host, std::uint16_t port)>;
Addresses system_look_up(const std::string& host, std::uint16_t port);

// Who asks for a name that is being looked up already waits for that answer: a name server that takes longer than a dial may
// last still helps a later dial. Names are looked up side by side, so that a slow one holds up no other. Threads and descriptor
// come with the first name; while they cannot be had, no name resolves.
std::unique_ptr<Resolver> make_resolver(ring::Port& port, LookUp look_up = system_look_up);

}  // namespace hayward::net

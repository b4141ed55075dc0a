// Opens listening sockets at start-up, by plain calls (the ring only accepts on them).
// Owner: start-up code; the descriptors then belong to the Server.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "engine/host/ring/ring.h"

namespace hayward::net {

// One entry of `listeners`.
struct ListenerSpec {
  std::string name;                   // e.g. CONTROLLER
  std::string host;                   // name or address; empty or "::": every address, IPv6 and IPv4;
                                      // "0.0.0.0": every IPv4 address. No brackets.
  std::uint16_t port = 0;             // 0: the kernel picks
  int backlog = 4096;                 // socket.listen.backlog.size
  int send_buffer_bytes = 102400;     // socket.send.buffer.bytes; -1: the system's default
  int receive_buffer_bytes = 102400;  // socket.receive.buffer.bytes; -1: the system's default
};

struct OpenListener {
  std::string name;
  ring::Fd fd = -1;
  std::uint16_t port = 0;  // the real one
};

// All of them, or none and one line that says which failed and why. Bound without SO_REUSEPORT: a
// second process on one of these ports fails here and cannot share its connections; a port that is in use is
// tried again for 1 s, in which the kernel lets go of the listener of a process that was killed. Accepted sockets
// inherit TCP_NODELAY, SO_KEEPALIVE and the buffer sizes.
std::expected<std::vector<OpenListener>, std::string> open_listeners(std::span<const ListenerSpec> specs);

}  // namespace hayward::net

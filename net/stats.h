// What the net has counted since it started, for `status` and for tests.
// Owner: net's shard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hayward::net {

enum class CloseReason : std::uint8_t {
  peer_closed,     // end of stream, or reset
  io_error,        // any other receive or send error
  bad_frame_size,  // zero, negative or above socket.request.max.bytes
  malformed_header,
  unknown_api,
  unsupported_version,
  refused_request,  // the node asked for it (a body that cannot be parsed, say)
  idle,             // connections.max.idle.ms
  too_many_from_address,
  too_many_connections,
  out_of_buffer_room,  // ServerConfig::buffered_bytes_max
  stopping,
  count_,
};
inline constexpr std::size_t close_reason_count = static_cast<std::size_t>(CloseReason::count_);

// A few words for a log line.
const char* to_text(CloseReason reason);

struct Stats {
  std::uint64_t accepted = 0;
  std::uint64_t accept_errors = 0;
  std::uint64_t requests = 0;  // handed to the node
  std::uint64_t replies = 0;   // completely handed to the kernel
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t receive_pauses = 0;  // back-pressure: reading stopped
  std::uint64_t partial_sends = 0;
  std::array<std::uint64_t, close_reason_count> closed{};  // by reason
  std::uint64_t connections = 0;                           // open now
  std::uint64_t buffered_bytes = 0;                        // received, not yet handed on, now

  std::uint64_t closed_for(CloseReason reason) const { return closed[static_cast<std::size_t>(reason)]; }
};

}  // namespace hayward::net

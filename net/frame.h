// Cuts Kafka frames (int32 size, then so many bytes) out of what has been received.
// Owner: net; pure functions. Any shard.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/runtime/bytes.h"

namespace hayward::net {

inline constexpr std::size_t frame_prefix_bytes = 4;

enum class FrameStatus : std::uint8_t { complete, incomplete, bad_size };

struct Frame {
  FrameStatus status = FrameStatus::incomplete;
  Bytes payload;             // complete: what follows the size; a view into the input
  std::size_t consumed = 0;  // complete: size field and payload
  std::int32_t size = 0;     // bad_size: what the size field says
};

// The first frame of `input`. bad_size: zero, negative or above max_bytes, known from the size alone:
// nothing is kept or taken for a frame that will be refused.
Frame next_frame(Bytes input, std::int32_t max_bytes);

// What a peer that does not speak Kafka seems to speak, judged by its first four bytes ("TLS", "HTTP",
// "SSH"); nullptr: no idea.
const char* guess_protocol(Bytes input);

}  // namespace hayward::net

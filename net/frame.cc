// Frames and foreign protocols; see frame.h.
#include "net/frame.h"

#include <array>
#include <string_view>

#include "schemas/runtime/reader.h"

namespace hayward::net {

Frame next_frame(Bytes input, std::int32_t max_bytes) {
  Frame frame;
  if (input.size() < frame_prefix_bytes) return frame;
  frame.size = Reader(input).read_i32();
  if (frame.size <= 0 || frame.size > max_bytes) {
    frame.status = FrameStatus::bad_size;
    return frame;
  }
  const auto payload = static_cast<std::size_t>(frame.size);
  if (input.size() - frame_prefix_bytes < payload) return frame;
  frame.status = FrameStatus::complete;
  frame.payload = input.subspan(frame_prefix_bytes, payload);
  frame.consumed = frame_prefix_bytes + payload;
  return frame;
}

const char* guess_protocol(Bytes input) {
  if (input.size() < frame_prefix_bytes) return nullptr;
  const std::string_view start = as_text(input.first(frame_prefix_bytes));
  // A TLS record: handshake or alert, major version 3.
  if ((start[0] == 0x16 || start[0] == 0x15) && start[1] == 0x03 && start[2] >= 0 && start[2] <= 4) return "TLS";
  static constexpr std::array<std::string_view, 11> http{"GET ", "POST", "HEAD", "PUT ", "DELE", "OPTI",
                                                         "CONN", "TRAC", "PATC", "PRI ", "HTTP"};
  for (const std::string_view method : http) {
    if (start == method) return "HTTP";
  }
  if (start == "SSH-") return "SSH";
  return nullptr;
}

}  // namespace hayward::net

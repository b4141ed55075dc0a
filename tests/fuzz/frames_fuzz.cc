// Feeds arbitrary bytes, in arbitrary pieces, through what stands in front of every request: frames, the kept
// input, the request header. The pieces must give exactly the frames that the whole gives.
// links: hayward_net
#include <cstdint>
#include <string>
#include <vector>

#include "net/frame.h"
#include "net/input.h"
#include "net/request_header.h"
#include "schemas/runtime/assert.h"

namespace {

using namespace hayward;

constexpr std::int32_t max_frame_bytes = 4096;
constexpr core::ServedApi apis[] = {{1, 4, 18, 12, true}, {18, 0, 4, 3, true}, {63, 0, 2, 0, true}};

void parse_header(Bytes payload) {
  net::RequestHeader header;
  if (net::parse_request_header(payload, apis, header) != net::HeaderError::none) return;
  HAYWARD_ASSERT(header.body.size() < payload.size(), "a header takes room");
  HAYWARD_ASSERT(!header.client_id || header.client_id->size() <= payload.size(), "a view into the frame");
}

std::vector<std::string> frames_of_whole(Bytes input) {
  std::vector<std::string> frames;
  for (;;) {
    const net::Frame frame = net::next_frame(input, max_frame_bytes);
    if (frame.status != net::FrameStatus::complete) break;
    parse_header(frame.payload);
    frames.emplace_back(as_text(frame.payload));
    input = input.subspan(frame.consumed);
  }
  net::guess_protocol(input);
  return frames;
}

// The first byte of what is left says how long the next piece is.
std::vector<std::string> frames_of_pieces(Bytes input) {
  std::vector<std::string> frames;
  net::Input kept(max_frame_bytes);
  std::int64_t clock = 0;
  while (!input.empty()) {
    const std::size_t piece = std::min<std::size_t>(input.size(), 1 + std::to_integer<std::size_t>(input[0]));
    kept.append(input.first(piece));
    input = input.subspan(piece);
    while (kept.announce({++clock})) {
    }
    if (clock % 3 == 0) continue;  // a request is in progress: frames wait
    while (const auto waiting = kept.front()) {
      frames.emplace_back(as_text(waiting->payload));
      kept.pop();
    }
  }
  while (const auto waiting = kept.front()) {
    frames.emplace_back(as_text(waiting->payload));
    kept.pop();
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input{reinterpret_cast<const std::byte*>(data), size};
  HAYWARD_ASSERT(frames_of_whole(input) == frames_of_pieces(input), "frames do not depend on how bytes come in");
  return 0;
}

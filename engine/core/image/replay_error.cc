// ReplayError as one line.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/replay_error.h"

namespace hayward::core {

namespace {

// Names in a record may be 32 KiB long.
constexpr std::size_t longest_part = 500;

std::string shortened(const std::string& text) {
  return text.size() <= longest_part ? text : text.substr(0, longest_part) + "...";
}

}  // namespace

std::string ReplayError::to_string() const {
  std::string line = "record " + record + " at offset " + std::to_string(offset.value) + ": expected " +
                     shortened(expected) + ", found " + shortened(found);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return line;
}

}  // namespace hayward::core

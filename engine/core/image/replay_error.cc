// ReplayError as one line.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/replay_error.h"

namespace hayward::core {

std::string ReplayError::to_string() const {
  std::string line =
      "record " + record + " at offset " + std::to_string(offset.value) + ": expected " + expected + ", found " + found;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return line;
}

}  // namespace hayward::core

#include "engine/base/trace.h"

namespace hayward {

void TraceHash::add(Bytes bytes) {
  for (const std::byte b : bytes) hash_ = (hash_ ^ static_cast<std::uint64_t>(b)) * 0x100000001b3ull;
}

void TraceHash::add(std::uint64_t value) {
  for (int i = 0; i < 8; ++i) hash_ = (hash_ ^ ((value >> (8 * i)) & 0xff)) * 0x100000001b3ull;
}

}  // namespace hayward

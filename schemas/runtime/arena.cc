#include "schemas/runtime/arena.h"

#include <algorithm>
#include <cstring>

namespace hayward {
namespace {
constexpr std::size_t block_bytes = 64 * 1024;
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {"", 0};
  char* to = allocate<char>(text.size());
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

void Arena::reset() {
  if (blocks_.size() > 1) blocks_.resize(1);
  if (!blocks_.empty()) {
    next_ = blocks_[0].bytes.get();
    end_ = next_ + blocks_[0].size;
  }
  used_ = 0;
}

void* Arena::allocate_bytes(std::size_t size, std::size_t alignment) {
  const auto aligned = [&](std::byte* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return at + ((alignment - address % alignment) % alignment);
  };
  std::byte* start = next_ ? aligned(next_) : nullptr;
  if (!start || start > end_ || static_cast<std::size_t>(end_ - start) < size) {
    const std::size_t wanted = std::max(block_bytes, size + alignment);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(wanted), wanted});
    end_ = blocks_.back().bytes.get() + wanted;
    start = aligned(blocks_.back().bytes.get());
  }
  next_ = start + size;
  used_ += size;
  return start;
}

}  // namespace hayward

// A bump allocator for one request's or one record's decoded arrays and built answers. Everything
// in it is trivially destructible and goes at once with reset().
// Owner: whoever handles the message; lives on that shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hayward {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised storage for `count` objects; valid until reset().
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(allocate_bytes(count * sizeof(T), alignof(T)));
  }

  // A copy of `text` that lives as long as the arena's content.
  std::string_view copy(std::string_view text);

  // Forgets the content; keeps the first block (64 KiB) for the next use.
  void reset();

  std::size_t bytes_used() const { return used_; }

 private:
  void* allocate_bytes(std::size_t size, std::size_t alignment);

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace hayward

// A 64-bit hash over values in the order in which they are added: the same on every machine and build.
// Not for hostile input.
// Owner: engine/core/image. Any shard.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/strong.h"
#include "schemas/runtime/uuid.h"

namespace hayward::core {

class ContentHash {
 public:
  std::uint64_t value() const { return state_; }

  ContentHash& add(std::uint64_t word) {
    state_ = (std::rotl(state_, 29) ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    return *this;
  }
  ContentHash& add(std::string_view text) {
    add(std::uint64_t{text.size()});
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      word = word << 8 | static_cast<unsigned char>(text[i]);
      if (i % 8 == 7 || i + 1 == text.size()) {
        add(word);
        word = 0;
      }
    }
    return *this;
  }
  ContentHash& add(Bytes bytes) { return add(as_text(bytes)); }
  ContentHash& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  ContentHash& add(const Uuid& id) { return add(id.hi).add(id.lo); }
  template <class Tag, class T>
  ContentHash& add(Strong<Tag, T> id) {
    return add(static_cast<std::uint64_t>(id.value));
  }
  template <class Tag>
  ContentHash& add(StrongUuid<Tag> id) {
    return add(id.value);
  }
  template <class T>
  ContentHash& add(std::span<const T> list) {
    add(std::uint64_t{list.size()});
    for (const T& item : list) add(item);
    return *this;
  }
  template <class T>
  ContentHash& add(const std::optional<T>& maybe) {
    add(std::uint64_t{maybe.has_value()});
    if (maybe) add(*maybe);
    return *this;
  }

 private:
  std::uint64_t state_ = 0x48617977617264ull;
};

}  // namespace hayward::core

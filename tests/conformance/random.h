// Random field values, with the edges (0, -1, smallest, largest, empty, null, long) met often.
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "engine/base/prng.h"
#include "schemas/runtime/codec.h"

namespace hayward::conformance {

class Random {
 public:
  explicit Random(std::uint64_t seed) : prng_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return prng_.below(bound); }
  Arena& arena() { return arena_; }

  template <std::integral T>
  void fill(T& x) {
    switch (prng_.below(6)) {
      case 0:
        x = 0;
        return;
      case 1:
        x = static_cast<T>(-1);
        return;
      case 2:
        x = std::numeric_limits<T>::min();
        return;
      case 3:
        x = std::numeric_limits<T>::max();
        return;
      case 4:
        x = static_cast<T>(prng_.below(1000));
        return;
      default:
        x = static_cast<T>(prng_.next());
    }
  }
  void fill(bool& x) { x = prng_.below(2) == 1; }
  void fill(double& x) {
    constexpr std::array values = {0.0, -1.5, 1e300, 0.1, std::numeric_limits<double>::infinity()};
    x = values[prng_.below(values.size())];
  }
  void fill(ErrorCode& x) { x = static_cast<ErrorCode>(static_cast<std::int16_t>(prng_.below(200)) - 2); }
  template <class Tag, class T>
  void fill(Strong<Tag, T>& x) {
    fill(x.value);
  }
  void fill(Uuid& x) { x = prng_.below(3) == 0 ? Uuid{} : Uuid{prng_.next(), prng_.next()}; }
  template <class Tag>
  void fill(StrongUuid<Tag>& x) {
    fill(x.value);
  }
  void fill(std::string_view& x) {
    constexpr std::array<std::string_view, 6> pieces = {"a", "topic-1", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                                        " "};
    std::array<char, 4 * 300> text;
    std::size_t size = 0;
    for (std::size_t left = length(); left > 0; --left) {
      const std::string_view piece = pieces[prng_.below(pieces.size())];
      if (size + piece.size() > text.size()) break;
      size += piece.copy(text.data() + size, piece.size());
    }
    x = arena_.copy({text.data(), size});
  }
  void fill(Bytes& x) {
    const std::size_t size = length();
    auto* to = arena_.allocate<std::byte>(size);
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::byte>(prng_.next());
    x = {to, size};
  }
  template <class T>
  void fill_nullable(std::optional<T>& x, bool nullable) {
    x.reset();
    if (nullable && prng_.below(4) == 0) return;
    x.emplace();
    fill(*x);
  }
  template <class T, class FillItem>
  void fill_array(Array<T>& x, bool nullable, FillItem&& fill_item) {
    x = nullable && prng_.below(4) == 0 ? Array<T>::null() : Array<T>{};
    if (x.is_null()) return;
    for (std::size_t left = prng_.below(12) == 0 ? 17 : prng_.below(4); left > 0; --left)
      fill_item(x.push_back(arena_));
  }

 private:
  // Mostly short; at times around where a varint length takes a second byte.
  std::size_t length() { return prng_.below(10) == 0 ? 120 + prng_.below(15) : prng_.below(8); }

  Prng prng_;
  Arena arena_;
};

}  // namespace hayward::conformance

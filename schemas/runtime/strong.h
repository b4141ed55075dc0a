// A strong integer: one C++ type per meaning of an int32 or int64 on the wire, so that a
// leader epoch cannot be passed where a partition epoch is wanted.
// Owner: schemas/runtime. Any shard.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>

namespace hayward {

template <class Tag, std::integral T>
struct Strong {
  using value_type = T;

  T value{};

  constexpr Strong() = default;
  constexpr explicit Strong(T v) : value(v) {}

  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
};

}  // namespace hayward

template <class Tag, class T>
struct std::hash<hayward::Strong<Tag, T>> {
  std::size_t operator()(const hayward::Strong<Tag, T>& id) const noexcept { return std::hash<T>{}(id.value); }
};

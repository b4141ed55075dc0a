// Kafka's 128-bit ids: big-endian on the wire, 22 characters of base64url as text.
// Owner: schemas/runtime. Any shard.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hayward {

struct Uuid {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  constexpr bool is_zero() const { return hi == 0 && lo == 0; }
  // base64url without padding, 22 characters (Kafka's Uuid.toString).
  std::string to_string() const;
  // nullopt unless `text` is exactly 22 base64url characters.
  static std::optional<Uuid> parse(std::string_view text);

  friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;
};

// A Uuid with a meaning: TopicId, DirectoryId, IncarnationId (ids.h).
template <class Tag>
struct StrongUuid {
  using value_type = Uuid;

  Uuid value{};

  constexpr StrongUuid() = default;
  constexpr explicit StrongUuid(Uuid v) : value(v) {}
  constexpr bool is_zero() const { return value.is_zero(); }
  std::string to_string() const { return value.to_string(); }

  friend constexpr auto operator<=>(const StrongUuid&, const StrongUuid&) = default;
};

}  // namespace hayward

template <>
struct std::hash<hayward::Uuid> {
  std::size_t operator()(const hayward::Uuid& id) const noexcept { return id.hi * 0x9E3779B97F4A7C15ull ^ id.lo; }
};
template <class Tag>
struct std::hash<hayward::StrongUuid<Tag>> {
  std::size_t operator()(const hayward::StrongUuid<Tag>& id) const noexcept { return std::hash<hayward::Uuid>{}(id.value); }
};

// Time as it comes in with every event. The monotonic part decides (leases, timers, deadlines); the
// wall part is only written down (batch timestamps, token times) and must change nothing else.
// Owner: engine/base. Any shard.
#pragma once

#include <compare>
#include <cstdint>

namespace hayward {

// Nanoseconds of a monotonic clock whose zero means nothing.
struct MonoTime {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(const MonoTime&, const MonoTime&) = default;
};
constexpr MonoTime operator+(MonoTime t, std::int64_t ns) { return {t.ns + ns}; }
constexpr std::int64_t operator-(MonoTime a, MonoTime b) { return a.ns - b.ns; }
constexpr std::int64_t ms_to_ns(std::int64_t ms) { return ms * 1'000'000; }
inline constexpr MonoTime mono_never{INT64_MAX};

struct Time {
  MonoTime mono;
  std::int64_t wall_ms = 0;  // milliseconds since 1970-01-01 UTC
};

}  // namespace hayward

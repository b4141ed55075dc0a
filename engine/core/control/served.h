// Which APIs the controller listener answers, and in which versions: what ApiVersions advertises and
// what the connections check before a request reaches the node. Kafka closes a connection that asks for
// anything else (ApiVersions itself aside, which answers UNSUPPORTED_VERSION to a version it lacks).
// Owner: engine/core/control. Any shard (constant).
#pragma once

#include <cstdint>
#include <span>

namespace hayward::core {

struct ServedApi {
  std::int16_t key = 0;
  std::int16_t min_version = 0;
  std::int16_t max_version = 0;
  std::int16_t first_flexible_version = 0;  // 32767: none is
  bool advertised = true;                   // false: our own APIs, which Kafka's clients need not know

  // Request header v2 (tagged fields) and, but for ApiVersions, response header v1.
  bool flexible(std::int16_t version) const { return version >= first_flexible_version; }
  bool has(std::int16_t version) const { return version >= min_version && version <= max_version; }
};

inline constexpr std::int16_t api_versions_key = 18;
inline constexpr std::int16_t hayward_status_key = 30000;

// Ascending by key.
std::span<const ServedApi> served_apis();
// nullptr: not served.
const ServedApi* find_served(std::int16_t api_key);
inline bool is_served(std::int16_t api_key, std::int16_t version) {
  const ServedApi* api = find_served(api_key);
  return api != nullptr && api->has(version);
}

}  // namespace hayward::core

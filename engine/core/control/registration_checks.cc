// See registration_checks.h.
#include "engine/core/control/registration_checks.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace hayward::core {
namespace {

using messages::BrokerRegistrationRequest;

constexpr std::string_view metadata_version_name = "metadata.version";
constexpr std::string_view kraft_version_name = "kraft.version";

std::int16_t finalized_level(const Features& features, std::int16_t kraft_version, std::string_view name) {
  return name == kraft_version_name ? kraft_version : features.level(name);
}

bool has_feature(const BrokerRegistrationRequest& request, std::string_view name) {
  return std::ranges::any_of(request.features, [&](const auto& feature) { return feature.name == name; });
}

}  // namespace

ErrorCode check_log_dirs(const Cluster& cluster, const BrokerRegistrationRequest& request) {
  if (request.log_dirs.empty() || std::ranges::any_of(request.log_dirs, is_reserved)) {
    return ErrorCode::invalid_registration;
  }
  std::vector<DirectoryId> sorted(request.log_dirs.begin(), request.log_dirs.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return ErrorCode::invalid_registration;
  for (const DirectoryId dir : sorted) {
    const BrokerRegistration* owner = cluster.owner_of_dir(dir);
    if (owner != nullptr && owner->id != request.broker_id) return ErrorCode::invalid_registration;
  }
  return ErrorCode::none;
}

ErrorCode check_listeners(const BrokerRegistrationRequest& request) {
  const bool known = std::ranges::all_of(
      request.listeners, [](const auto& listener) { return is_known_security_protocol(listener.security_protocol); });
  return known ? ErrorCode::none : ErrorCode::invalid_registration;
}

ErrorCode check_features(const Features& features, std::int16_t kraft_version,
                         const BrokerRegistrationRequest& request) {
  for (const auto& feature : request.features) {
    const std::int16_t level = finalized_level(features, kraft_version, feature.name);
    if (level < feature.min_supported_version || level > feature.max_supported_version) {
      return ErrorCode::unsupported_version;
    }
  }
  if (!has_feature(request, metadata_version_name)) return ErrorCode::invalid_registration;
  // What the broker does not name it supports at level 0 only.
  for (const auto& [name, level] : features.all()) {
    if (level != 0 && !has_feature(request, name)) return ErrorCode::unsupported_version;
  }
  if (kraft_version != 0 && !has_feature(request, kraft_version_name)) return ErrorCode::unsupported_version;
  return ErrorCode::none;
}

}  // namespace hayward::core

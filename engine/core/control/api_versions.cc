// See api_versions.h.
#include "engine/core/control/api_versions.h"

#include <algorithm>
#include <string_view>

#include "engine/core/control/served.h"
#include "engine/core/metadata_version.h"

namespace hayward::core {
namespace {

using messages::ApiVersionsRequest;
using messages::ApiVersionsResponse;

constexpr std::int16_t first_with_software_name = 3;
// Older clients cannot read a range that begins at 0 (KAFKA-17011).
constexpr std::int16_t first_with_zero_minimum = 4;

bool alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Letters, digits, '-' and '.', the latter two neither first nor last.
bool valid_software_text(std::string_view text) {
  return !text.empty() && alphanumeric(text.front()) && alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return alphanumeric(c) || c == '-' || c == '.'; });
}

void add_supported(const FeatureInfo& info, std::int16_t version, Arena& arena, ApiVersionsResponse& response) {
  if (info.min == 0 && version < first_with_zero_minimum) return;
  ApiVersionsResponse::SupportedFeatureKey feature;
  feature.name = info.name;
  feature.min_version = info.min;
  feature.max_version = info.max;
  response.supported_features.push_back(arena, feature);
}

void add_finalized(std::string_view name, std::int16_t level, Arena& arena, ApiVersionsResponse& response) {
  ApiVersionsResponse::FinalizedFeatureKey feature;
  feature.name = name;
  feature.min_version_level = level;
  feature.max_version_level = level;
  response.finalized_features.push_back(arena, feature);
}

void add_api(const ServedApi& api, Arena& arena, ApiVersionsResponse& response) {
  ApiVersionsResponse::ApiVersion entry;
  entry.api_key = api.key;
  entry.min_version = api.min_version;
  entry.max_version = api.max_version;
  response.api_keys.push_back(arena, entry);
}

}  // namespace

ApiVersionsResponse api_versions(const FeatureView& features, std::int16_t version, const ApiVersionsRequest& request,
                                 Arena& arena) {
  ApiVersionsResponse response;
  if (version >= first_with_software_name &&
      !(valid_software_text(request.client_software_name) && valid_software_text(request.client_software_version))) {
    response.error_code = ErrorCode::invalid_request;
    return response;
  }
  for (const ServedApi& api : served_apis()) {
    if (api.advertised) add_api(api, arena, response);
  }
  for (const FeatureInfo& info : known_features()) {
    add_supported(supported_feature(info.name, features.unstable), version, arena, response);
  }
  add_supported(supported_feature("metadata.version", features.unstable), version, arena, response);

  response.finalized_features_epoch = features.finalized.epoch().value;
  if (features.finalized.epoch() == no_offset) return response;
  for (const auto& [name, level] : features.finalized.levels()) add_finalized(name, level, arena, response);
  if (features.kraft_version > 0) add_finalized("kraft.version", features.kraft_version, arena, response);
  return response;
}

ApiVersionsResponse unsupported_api_versions(Arena& arena) {
  ApiVersionsResponse response;
  response.error_code = ErrorCode::unsupported_version;
  add_api(*find_served(api_versions_key), arena, response);
  return response;
}

}  // namespace hayward::core

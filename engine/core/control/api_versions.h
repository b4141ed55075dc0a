// ApiVersions (18): which APIs and features this controller has, and which feature levels are finalized.
// Owner: engine/core/control. Shard 0; served in every state.
#pragma once

#include <cstdint>

#include "engine/core/published_features.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/runtime/arena.h"

namespace hayward::core {

struct FeatureView {
  const PublishedFeatures& finalized;
  std::int16_t kraft_version = 0;  // the finalized one: raft keeps it
  bool unstable = false;           // unstable.feature.versions.enable
};

// Errors: invalid_request (a client software name or version that is not of Kafka's form).
messages::ApiVersionsResponse api_versions(const FeatureView& features, std::int16_t version,
                                           const messages::ApiVersionsRequest& request, Arena& arena);

// The answer, in version 0, to a version that is not served: unsupported_version, and the range that is.
messages::ApiVersionsResponse unsupported_api_versions(Arena& arena);

}  // namespace hayward::core

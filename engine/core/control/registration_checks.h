// What a registration may not say: the checks of BrokerRegistration, each a plain question; and how what it
// says is copied into its record.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "engine/core/control/context.h"
#include "engine/core/image/image.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL.
inline bool is_known_security_protocol(std::int16_t id) { return id >= 0 && id <= 3; }

// Non-empty, none reserved, none twice, none owned by another broker; else invalid_registration.
ErrorCode check_log_dirs(const Cluster& cluster, const messages::BrokerRegistrationRequest& request);

// Every listener's security protocol is known; else invalid_registration.
ErrorCode check_listeners(const messages::BrokerRegistrationRequest& request);

// Every feature sent covers its finalized level (0 if there is none); metadata.version is sent
// (invalid_registration); no finalized feature is missing. Else unsupported_version.
ErrorCode check_features(const Features& features, std::int16_t kraft_version,
                         const messages::BrokerRegistrationRequest& request);

// Listeners as a registration record stores them: of two with one name the last counts, in the place of the first.
template <class Listener, class EndPoint>
void copy_listeners(Arena& arena, const Array<Listener>& listeners, Array<EndPoint>& end_points) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const Listener& listener : listeners) {
    const auto [place, is_new] = places.try_emplace(listener.name, end_points.size());
    if (is_new) end_points.push_back(arena);
    EndPoint& end_point = end_points[place->second];
    end_point.name = listener.name;
    end_point.host = listener.host;
    end_point.port = listener.port;
    end_point.security_protocol = listener.security_protocol;
  }
}

template <class Feature, class RecordFeature>
void copy_features(Arena& arena, const Array<Feature>& features, Array<RecordFeature>& to) {
  for (const Feature& feature : features) {
    RecordFeature& copy = to.push_back(arena);
    copy.name = feature.name;
    copy.min_supported_version = feature.min_supported_version;
    copy.max_supported_version = feature.max_supported_version;
  }
}

}  // namespace hayward::core

// What a registration may not say: the checks of BrokerRegistration, each a plain question.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstdint>

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

}  // namespace hayward::core

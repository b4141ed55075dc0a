// See self_registration.h.
#include "engine/core/control/self_registration.h"

#include "engine/core/control/controller_registration.h"
#include "engine/core/image/image.h"
#include "engine/core/metadata_version.h"
#include "engine/core/records.h"

namespace hayward::core {
namespace {

using messages::ControllerRegistrationRequest;

ControllerRegistrationRequest::Feature feature(const FeatureInfo& info) {
  ControllerRegistrationRequest::Feature feature;
  feature.name = info.name;
  feature.min_supported_version = info.min;
  feature.max_supported_version = info.max;
  return feature;
}

}  // namespace

ControllerRegistrationRequest registration_of_self(const NodeConfig& config, Arena& arena) {
  ControllerRegistrationRequest request;
  request.controller_id = config.node_id;
  request.incarnation_id = config.incarnation_id;
  for (const Endpoint& endpoint : config.advertised) {
    ControllerRegistrationRequest::Listener listener;
    listener.name = endpoint.listener;
    listener.host = endpoint.host;
    listener.port = endpoint.port;
    listener.security_protocol = endpoint.security_protocol;
    request.listeners.push_back(arena, listener);
  }
  const bool unstable = config.unstable_feature_versions;
  for (const FeatureInfo& known_feature : known_features()) {
    request.features.push_back(arena, feature(supported_feature(known_feature.name, unstable)));
  }
  request.features.push_back(arena, feature(supported_feature("metadata.version", unstable)));
  return request;
}

void register_self(const HandlerContext& context, RecordList& records) {
  const NodeConfig& config = context.config;
  if (!records.metadata_version().controller_registration()) return;
  const ControllerRegistration* known = context.image.cluster().controller(config.node_id);
  if (known != nullptr && known->incarnation_id == config.incarnation_id) return;
  controller_registration(context, registration_of_self(config, context.arena), records);
}

}  // namespace hayward::core

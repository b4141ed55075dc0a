// Names and complete config sets of resources: what IncrementalAlterConfigs, CreateTopics and DescribeConfigs
// let pass.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/control/api_fault.h"
#include "engine/core/image/configs.h"

namespace hayward::core {

// Why `name` is no topic name, in words; nullopt: it is one (1 to 249 of [a-zA-Z0-9._-], not "." or "..").
std::optional<std::string> why_illegal_topic_name(std::string_view name);
// __cluster_metadata, which is no topic to be made or changed.
inline constexpr std::string_view metadata_topic_name = "__cluster_metadata";

// The resource's name and `proposed` as its complete configs, where it has `existing` now. Broker values
// are not looked at: a broker checks them before it forwards the request.
std::optional<ApiFault> check_configs(const HandlerContext& context, const ConfigResource& resource,
                                      const ConfigMap& proposed, const ConfigMap& existing);

// unknown_topic_or_partition for a topic, broker_id_not_registered for a node that is neither a registered
// broker or controller nor a voter of controller.quorum.voters.
std::optional<ApiFault> check_exists(const HandlerContext& context, const ConfigResource& resource);

}  // namespace hayward::core

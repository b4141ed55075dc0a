// The rules that bind several topic keys together (validate_topic_configs of topic_configs.h).
// Owner: engine/core/control; pure functions. Shard 0.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/control/topic_configs.h"

namespace hayward::core {
namespace {

// The complete picture of a topic: its proposed values over what the node gives it.
class Proposed {
 public:
  Proposed(const ConfigMap& topic, const BrokerLayers& layers) : topic_(topic), layers_(layers) {}

  // In canonical text; what cannot be parsed (a bad value in a broker layer) counts as the default.
  std::string text(std::string_view name) const {
    const ConfigKey& key = *find_key(topic_config_keys(), name);
    const auto effective = effective_topic_config(key, &topic_, layers_);
    if (effective.value) {
      if (auto canonical = canonical_value(key, *effective.value)) return *canonical;
    }
    return std::string(key.default_value.value_or(""));
  }
  std::int64_t number(std::string_view name) const { return parse_integer(text(name)).value_or(0); }
  bool is_true(std::string_view name) const { return text(name) == "true"; }

 private:
  const ConfigMap& topic_;
  const BrokerLayers& layers_;
};

using Reason = std::optional<std::string>;

Reason check_each_value(const ConfigMap& proposed) {
  for (const auto& [name, value] : proposed) {
    const ConfigKey* key = find_key(topic_config_keys(), name);
    if (key == nullptr) return "There is no topic config named " + name;
    if (auto canonical = canonical_value(*key, value); !canonical) return canonical.error();
  }
  return std::nullopt;
}

// `local` (-2: as `total`, -1: no limit) may not go beyond `total`.
Reason check_local_retention(std::string_view local_name, std::int64_t local, std::string_view total_name,
                             std::int64_t total) {
  if (total == -1 || local == -2) return std::nullopt;
  if (local != -1 && local <= total) return std::nullopt;
  std::string text(local_name);
  return text.append(" may not be more than ").append(total_name).append(", which is ").append(std::to_string(total));
}

Reason check_copy_disabled(std::string_view local_name, std::int64_t local, std::string_view total_name,
                           std::int64_t total) {
  if (local == -2 || local == total) return std::nullopt;
  std::string text("With remote.log.copy.disable nothing goes to remote storage any more: ");
  return text.append(local_name).append(" must equal ").append(total_name);
}

Reason check_remote_storage(const Proposed& topic, const BrokerLayers& layers) {
  if (!broker_boolean(layers, "remote.log.storage.system.enable")) {
    return "Tiered storage is switched off in this cluster: remote.storage.enable cannot be true";
  }
  const std::string policy = topic.text("cleanup.policy");
  if (!policy.empty() && policy != "delete") return "Remote storage wants cleanup.policy to be delete or empty";
  const std::int64_t bytes = topic.number("retention.bytes");
  const std::int64_t local_bytes = topic.number("local.retention.bytes");
  const std::int64_t ms = topic.number("retention.ms");
  const std::int64_t local_ms = topic.number("local.retention.ms");
  const std::int64_t bytes_limit = bytes < 0 ? -1 : bytes;
  if (auto why = check_local_retention("local.retention.bytes", local_bytes, "retention.bytes", bytes_limit))
    return why;
  if (auto why = check_local_retention("local.retention.ms", local_ms, "retention.ms", ms)) return why;
  if (!topic.is_true("remote.log.copy.disable")) return std::nullopt;
  if (auto why = check_copy_disabled("local.retention.bytes", local_bytes, "retention.bytes", bytes)) return why;
  return check_copy_disabled("local.retention.ms", local_ms, "retention.ms", ms);
}

bool had_remote_storage(const ConfigMap* existing) {
  if (existing == nullptr) return false;
  const auto at = existing->find("remote.storage.enable");
  return at != existing->end() && canonical_value({"", ConfigType::boolean, {}}, at->second) == "true";
}

}  // namespace

std::optional<std::string> validate_topic_configs(const ConfigMap& proposed, const ConfigMap* existing,
                                                  const BrokerLayers& layers) {
  if (auto why = check_each_value(proposed)) return why;
  const Proposed topic(proposed, layers);
  if (topic.number("min.compaction.lag.ms") > topic.number("max.compaction.lag.ms")) {
    return "min.compaction.lag.ms may not be more than max.compaction.lag.ms";
  }
  if (topic.is_true("remote.storage.enable")) return check_remote_storage(topic, layers);
  if (had_remote_storage(existing) && !topic.is_true("remote.log.delete.on.disable")) {
    return "Remote storage cannot be switched off and its data kept: set remote.log.delete.on.disable=true to "
           "delete it, or keep remote.storage.enable=true with remote.log.copy.disable=true to go on reading it";
  }
  return std::nullopt;
}

}  // namespace hayward::core

#include "engine/core/control/config_changes.h"

#include <algorithm>
#include <utility>

#include "engine/core/control/access.h"
#include "engine/core/control/broker_configs.h"
#include "engine/core/control/resource_checks.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/image.h"
#include "schemas/records/clear_elr_record.h"
#include "schemas/records/config_record.h"

namespace hayward::core {
namespace {

// The longest string that a record can carry and be read back from.
constexpr std::size_t max_value_bytes = 32767;
constexpr std::string_view min_insync_replicas = "min.insync.replicas";
constexpr std::string_view cordoned_log_dirs = "cordoned.log.dirs";

ApiFault invalid_config(std::string text) { return {ErrorCode::invalid_config, std::move(text)}; }
ApiFault invalid_request(std::string text) { return {ErrorCode::invalid_request, std::move(text)}; }

using NewValue = std::optional<std::string>;  // nullopt: removed

// Only topic and broker keys of type list can be appended to or subtracted from.
bool is_list(ConfigResourceType type, std::string_view key) {
  if (type == ConfigResourceType::topic) {
    const ConfigKey* known = find_key(topic_config_keys(), key);
    return known != nullptr && known->type == ConfigType::list;
  }
  const BrokerKey* known = type == ConfigResourceType::broker ? find_broker_key(key) : nullptr;
  return known != nullptr && known->type == ConfigType::list;
}

std::string_view default_of(ConfigResourceType type, std::string_view key) {
  if (type == ConfigResourceType::topic) return find_key(topic_config_keys(), key)->default_value.value_or("");
  return find_broker_key(key)->default_value.value_or("");
}

// As Kafka takes a list apart here: at each comma, nothing trimmed; empty entries at the end are dropped.
std::vector<std::string_view> raw_entries(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t start = 0;
  for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', start)) {
    entries.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  entries.push_back(text.substr(start));
  while (entries.size() > 1 && entries.back().empty()) entries.pop_back();
  return entries;
}

std::string with_entries(ConfigOperation operation, std::string_view present, std::string_view change) {
  auto entries = raw_entries(present);
  std::erase(entries, "");
  for (auto entry : raw_entries(change)) {
    const auto at = std::ranges::find(entries, entry);
    if (operation == ConfigOperation::append && at == entries.end()) entries.push_back(entry);
    if (operation == ConfigOperation::subtract && at != entries.end()) entries.erase(at);
  }
  std::string joined;
  for (std::size_t i = 0; i < entries.size(); ++i) joined.append(i == 0 ? "" : ",").append(entries[i]);
  return joined;
}

std::expected<NewValue, ApiFault> new_value(const ConfigResource& resource, std::string_view key,
                                            const ConfigAlteration& alteration, const std::string* present) {
  const auto operation = static_cast<ConfigOperation>(alteration.operation);
  switch (operation) {
    case ConfigOperation::set:
      return alteration.value ? NewValue(std::string(*alteration.value)) : NewValue();
    case ConfigOperation::remove:
      return NewValue();
    case ConfigOperation::append:
    case ConfigOperation::subtract: {
      if (!is_list(resource.type, key)) {
        return std::unexpected(invalid_config("The value of " + std::string(key) + " is not a list"));
      }
      if (!alteration.value) {
        return std::unexpected(invalid_request("Nothing is given to append to or subtract from " + std::string(key)));
      }
      const std::string_view base = present != nullptr ? *present : default_of(resource.type, key);
      return NewValue(with_entries(operation, base, *alteration.value));
    }
  }
  return std::unexpected(
      invalid_request("Unknown operation " + std::to_string(alteration.operation) + " on " + std::string(key)));
}

// A broker named here must have said for itself which directories it cordons; others may only take some off.
bool is_subset_of_list(std::string_view wanted, const std::string* present) {
  const auto entries = split_list(present != nullptr ? std::string_view(*present) : std::string_view());
  return std::ranges::all_of(
      split_list(wanted), [&](std::string_view entry) { return std::ranges::find(entries, entry) != entries.end(); });
}

std::optional<ApiFault> check_broker_change(const HandlerContext& context, const ConfigResource& resource,
                                            std::string_view key, const NewValue& value, const std::string* present) {
  const Features& features = context.image.features();
  if (key == min_insync_replicas && features.elr_enabled()) {
    if (!resource.name.empty()) {
      return invalid_config("With ELR on, min.insync.replicas is not to be set for single brokers");
    }
    if (!value) return invalid_config("With ELR on, the cluster's min.insync.replicas is not to be removed");
  }
  if (key != cordoned_log_dirs) return std::nullopt;
  const auto version = features.metadata_version();
  if (!version || !version->cordoned_log_dirs()) {
    return invalid_config("cordoned.log.dirs wants metadata.version 4.3-IV0 or later");
  }
  if (context.request.forwarded || !value || is_subset_of_list(*value, present)) return std::nullopt;
  return invalid_config("Through a controller, directories can only be taken off cordoned.log.dirs");
}

}  // namespace

void StaleElrs::add_records(RecordList& records) const {
  for (const std::string& topic : topics) {
    records::ClearElrRecord record;
    record.topic_name = topic;
    records.add(record);
  }
  if (all) records.add(records::ClearElrRecord{});
}

std::optional<ApiFault> check_may_alter(const HandlerContext& context, const ConfigResource& resource) {
  constexpr AclOperation operation = AclOperation::alter_configs;
  const auto refused_unless = [](bool allowed, ErrorCode code) {
    return allowed ? std::nullopt : std::optional(ApiFault{code, "The caller may not alter these configs"});
  };
  switch (resource.type) {
    case ConfigResourceType::topic:
      return refused_unless(is_allowed(context, operation, ResourceType::topic, resource.name),
                            ErrorCode::topic_authorization_failed);
    case ConfigResourceType::group:
      return refused_unless(is_allowed(context, operation, ResourceType::group, resource.name),
                            ErrorCode::group_authorization_failed);
    case ConfigResourceType::broker:
    case ConfigResourceType::client_metrics:
      break;
  }
  return refused_unless(is_allowed_on_cluster(context, operation), ErrorCode::cluster_authorization_failed);
}

std::optional<ApiFault> alter_configs(const HandlerContext& context, const ConfigResource& resource,
                                      const ConfigAlterations& alterations, bool new_topic, RecordList& records,
                                      StaleElrs& stale_elrs) {
  if (!new_topic) {  // who may create a topic may give it configs
    if (auto fault = check_may_alter(context, resource)) return fault;
  }
  const ConfigMap& existing = context.image.configs().of(resource.type, resource.name);
  ConfigMap proposed = existing;
  std::vector<std::pair<std::string_view, NewValue>> changes;
  for (const auto& [key, alteration] : alterations) {
    const auto at = existing.find(key);
    const std::string* present = at == existing.end() ? nullptr : &at->second;
    auto value = new_value(resource, key, alteration, present);
    if (!value) return value.error();
    const bool same = value->has_value() ? present != nullptr && *present == **value : present == nullptr;
    if (same && resource.type != ConfigResourceType::broker) continue;
    if (resource.type == ConfigResourceType::broker) {
      if (auto fault = check_broker_change(context, resource, key, *value, present)) return fault;
    }
    if (value->has_value() && (*value)->size() > max_value_bytes) {
      return invalid_config("The value of " + std::string(key) + " is longer than 32767 bytes");
    }
    if (value->has_value()) {
      proposed.insert_or_assign(std::string(key), **value);
    } else if (const auto old = proposed.find(key); old != proposed.end()) {
      proposed.erase(old);
    }
    changes.emplace_back(key, std::move(*value));
  }
  if (auto fault = check_configs(context, resource, proposed, existing)) return fault;
  if (!new_topic) {
    if (auto fault = check_exists(context, resource)) return fault;
  }
  for (const auto& [key, value] : changes) {
    records::ConfigRecord record;
    record.resource_type = static_cast<std::int8_t>(resource.type);
    record.resource_name = resource.name;
    record.name = key;
    record.value = value ? std::optional<std::string_view>(*value) : std::nullopt;
    records.add(record);
    if (key != min_insync_replicas || !records.elr_enabled()) continue;
    if (resource.type == ConfigResourceType::topic)
      stale_elrs.topics.push_back(resource.name);
    else
      stale_elrs.all = true;
  }
  return std::nullopt;
}

}  // namespace hayward::core

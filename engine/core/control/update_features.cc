#include "engine/core/control/update_features.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/control/partition_changes.h"
#include "engine/core/control/topic_configs.h"
#include "engine/core/image/image.h"
#include "engine/core/metadata_version.h"
#include "engine/core/records.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/no_op_record.h"

namespace hayward::core {
namespace {

constexpr std::string_view metadata_version = "metadata.version";
constexpr std::string_view kraft_version = "kraft.version";
constexpr std::string_view elr_version = "eligible.leader.replicas.version";
constexpr std::string_view min_insync_replicas = "min.insync.replicas";

enum class UpgradeType : std::int8_t { upgrade = 1, safe_downgrade = 2, unsafe_downgrade = 3 };

struct Update {
  std::int16_t level = 0;
  std::int8_t upgrade_type = 0;  // as it came
};
// By feature; of one given twice the last counts.
using Updates = std::map<std::string_view, Update>;
using Reason = std::optional<std::string>;

// Why `who`, supporting [min, max] of a feature, cannot take `level`.
Reason why_outside(const std::string& who, std::int16_t min, std::int16_t max, std::int16_t level) {
  if (level >= min && level <= max) return std::nullopt;
  if (max == 0) return who + " does not know this feature";
  return who + " supports levels " + std::to_string(min) + " to " + std::to_string(max);
}

// What a registered node has not named, it has at level 0 only.
template <class Registration>
Reason why_unsupported(const std::string& kind, const Registration& node, std::string_view feature,
                       std::int16_t level) {
  const std::string who = kind + " " + std::to_string(node.id.value);
  for (const FeatureRange& range : node.features) {
    if (range.name == feature) return why_outside(who, range.min, range.max, level);
  }
  return why_outside(who, 0, 0, level);
}

class FeatureUpdate {
 public:
  FeatureUpdate(const HandlerContext& context, const RaftSight& raft, const Updates& updates)
      : context_(context), raft_(raft), updates_(updates) {}

  // Why the feature cannot be changed so; nullopt: it can.
  Reason why_not(std::string_view feature, const Update& update) const {
    if (update.upgrade_type < 1 || update.upgrade_type > 3) return "The upgrade type is unknown";
    const auto type = static_cast<UpgradeType>(update.upgrade_type);
    if (update.level < 0) return "A level is not negative";
    if (auto why = why_not_supported(feature, update.level)) return why;
    const std::int16_t present = level_of(feature);
    if (update.level < present && type == UpgradeType::upgrade) {
      return "Lowering a level wants an upgrade type of safe or unsafe downgrade";
    }
    if (update.level > present && type != UpgradeType::upgrade) return "A downgrade does not raise a level";
    if (feature == metadata_version) return why_not_metadata_version(update.level, type);
    if (feature == kraft_version) return why_not_kraft_version(update.level);
    return why_not_dependent(feature, update.level);
  }

  std::int16_t level_of(std::string_view feature) const {
    return feature == kraft_version ? raft_.kraft_version : context_.image.features().level(feature);
  }

 private:
  // The level after this request.
  std::int16_t proposed_level(std::string_view feature) const {
    const auto at = updates_.find(feature);
    return at == updates_.end() ? level_of(feature) : at->second.level;
  }

  Reason why_not_supported(std::string_view feature, std::int16_t level) const {
    const FeatureInfo own = supported_feature(feature, context_.config.unstable_feature_versions);
    if (auto why = why_outside("This controller", own.min, own.max, level)) return why;
    const Cluster& cluster = context_.image.cluster();
    for (const auto& [id, broker] : cluster.brokers()) {
      if (auto why = why_unsupported("Broker", broker, feature, level)) return why;
    }
    const auto version = context_.image.features().metadata_version();
    if (!version || !version->controller_registration()) return std::nullopt;  // nobody can say for controllers
    for (const auto& [id, controller] : cluster.controllers()) {
      if (id == context_.config.node_id || std::ranges::find(raft_.replicas, id) == raft_.replicas.end()) continue;
      if (auto why = why_unsupported("Controller", controller, feature, level)) return why;
    }
    for (const Voter& voter : context_.config.static_voters) {
      if (voter.id == context_.config.node_id || cluster.controller(voter.id) != nullptr) continue;
      return "Controller " + std::to_string(voter.id.value) + " has not registered: what it supports is not known";
    }
    return std::nullopt;
  }

  Reason why_not_metadata_version(std::int16_t level, UpgradeType type) const {
    const std::int16_t present = level_of(metadata_version);
    if (level >= present) return std::nullopt;
    if (!metadata_format_changes_between(MetadataVersion{level}, MetadataVersion{present})) return std::nullopt;
    if (type == UpgradeType::unsafe_downgrade) return "An unsafe downgrade, which loses metadata, is not supported";
    return "Records changed their form since that level: going back could lose metadata";
  }

  Reason why_not_kraft_version(std::int16_t level) const {
    if (level == raft_.kraft_version) return std::nullopt;
    if (level < raft_.kraft_version) return "kraft.version cannot be lowered";
    return raft_.kraft_version_refusal;
  }

  Reason why_not_dependent(std::string_view feature, std::int16_t level) const {
    if (supported_feature(feature, true).max == 0) return "There is no feature of that name";
    const auto required = required_metadata_version(feature, level);
    if (required && proposed_level(metadata_version) < required->level) {
      return "It wants metadata.version " + std::string(required->name()) + " or later";
    }
    return std::nullopt;
  }

  const HandlerContext& context_;
  const RaftSight& raft_;
  const Updates& updates_;
};

void add_config(std::string_view broker, std::optional<std::string_view> value, RecordList& records) {
  records::ConfigRecord record;
  record.resource_type = static_cast<std::int8_t>(ConfigResourceType::broker);
  record.resource_name = broker;
  record.name = min_insync_replicas;
  record.value = value;
  records.add(record);
}

// With ELR on, every node must reckon with the same min.insync.replicas: one for the cluster, none per broker.
void add_elr_configs(const HandlerContext& context, RecordList& records) {
  const Configs& configs = context.image.configs();
  if (configs.value(ConfigResourceType::broker, "", min_insync_replicas) == nullptr) {
    add_config("", std::to_string(static_min_insync_replicas(broker_layers(context))), records);
  }
  for (const auto& [resource, values] : configs.all()) {
    if (resource.type != ConfigResourceType::broker || resource.name.empty()) continue;
    if (values.contains(min_insync_replicas)) add_config(resource.name, std::nullopt, records);
  }
}

void add_level(std::string_view feature, std::int16_t level, RecordList& records) {
  records::FeatureLevelRecord record;
  record.name = feature;
  record.feature_level = level;
  records.add(record);
}

UpdateFeaturesOutcome refused(const HandlerContext& context, std::string_view feature, const Update& update,
                              const std::string& why) {
  std::string text = "No feature was changed: ";
  text.append(feature).append(" cannot become ").append(std::to_string(update.level)).append(". ").append(why);
  UpdateFeaturesOutcome outcome;
  outcome.response.error_code = ErrorCode::invalid_update_version;
  outcome.response.error_message = context.arena.copy(text);
  return outcome;
}

}  // namespace

UpdateFeaturesOutcome update_features(const HandlerContext& context, const RaftSight& raft,
                                      const messages::UpdateFeaturesRequest& request, RecordList& records) {
  Updates updates;
  for (const auto& update : request.feature_updates) {
    updates.insert_or_assign(update.feature, Update{update.max_version_level, update.upgrade_type});
  }
  const FeatureUpdate check(context, raft, updates);
  for (const auto& [feature, update] : updates) {
    if (auto why = check.why_not(feature, update)) return refused(context, feature, update, *why);
  }

  UpdateFeaturesOutcome outcome;
  outcome.response.error_message = std::nullopt;
  if (context.request.api_version <= 1) {
    for (const auto& update : request.feature_updates) {
      auto& item = outcome.response.results.push_back(context.arena);
      item.feature = update.feature;
      item.error_message = std::nullopt;
    }
  }
  if (request.validate_only) return outcome;

  const auto elr = updates.find(elr_version);
  if (elr != updates.end() && elr->second.level > 0) add_elr_configs(context, records);
  // metadata.version first: what follows may depend on it.
  if (const auto at = updates.find(metadata_version); at != updates.end()) {
    add_level(metadata_version, at->second.level, records);
  }
  for (const auto& [feature, update] : updates) {
    if (feature == metadata_version) continue;
    if (feature != kraft_version) {
      add_level(feature, update.level, records);
    } else if (update.upgrade_type == static_cast<std::int8_t>(UpgradeType::upgrade)) {
      records.add(records::NoOpRecord{});
      if (update.level > raft.kraft_version) outcome.kraft_version = update.level;
    }
  }
  records.set_atomic();
  return outcome;
}

}  // namespace hayward::core

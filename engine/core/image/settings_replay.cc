// Records about configs, features, client quotas and producer ids.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/replay.h"
#include "schemas/records/client_quota_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/producer_ids_record.h"

namespace hayward::core {

Applied apply(ReplayContext& context, const records::ConfigRecord& record) {
  if (!is_supported_config(record.resource_type, record.name)) return {};
  std::optional<std::string> value;
  if (record.value) value = std::string(*record.value);
  const ConfigResource resource{static_cast<ConfigResourceType>(record.resource_type), std::string(record.resource_name)};
  context.make(ConfigChange{resource, std::string(record.name), std::move(value)});
  return {};
}

// kraft.version belongs to raft; where an old controller has put it into the log, it is passed over and so
// goes with the next snapshot (KAFKA-18979).
Applied apply(ReplayContext& context, const records::FeatureLevelRecord& record) {
  const FeatureInfo supported = supported_feature(record.name, context.unstable_feature_versions);
  if (record.feature_level < supported.min || record.feature_level > supported.max) {
    return mismatch("a level of " + std::string(record.name) + " from " + std::to_string(supported.min) + " to " +
                        std::to_string(supported.max),
                    std::to_string(record.feature_level));
  }
  if (record.name == kraft_version_feature) return {};
  std::optional<std::int16_t> level;
  if (record.feature_level != 0) level = record.feature_level;
  context.make(FeatureChange{std::string(record.name), level, context.offset});
  return {};
}

Applied apply(ReplayContext& context, const records::ClientQuotaRecord& record) {
  QuotaEntity entity;
  for (const auto& part : record.entity) {
    std::optional<std::string> name;
    if (part.entity_name) name = std::string(*part.entity_name);
    entity[std::string(part.entity_type)] = std::move(name);
  }
  std::optional<double> value;
  if (!record.remove) value = record.value;
  context.make(QuotaChange{std::move(entity), std::string(record.key), value});
  return {};
}

Applied apply(ReplayContext& context, const records::ProducerIdsRecord& record) {
  const std::int64_t present = context.parts.producer_ids.next_producer_id;
  if (record.next_producer_id <= present) {
    return mismatch("a next producer id above " + std::to_string(present), std::to_string(record.next_producer_id));
  }
  context.make(ProducerIdsChange{{record.broker_id, record.broker_epoch, record.next_producer_id}});
  return {};
}

}  // namespace hayward::core

// See bootstrap.h.
#include "engine/core/bootstrap.h"

#include <optional>
#include <string_view>

#include "engine/core/image/configs.h"
#include "engine/core/metadata_version.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/runtime/arena.h"

namespace hayward::core {
namespace {

constexpr std::string_view min_isr_key = "min.insync.replicas";

struct Levels {
  std::optional<MetadataVersion> metadata_version;
  bool elr = false;
};

std::expected<Levels, std::string> levels_of(std::span<const Buffer> given) {
  Levels levels;
  Arena arena;
  for (const Buffer& value : given) {
    const auto frame = records::parse_frame(value);
    if (!frame) return std::unexpected(std::string(records::name(frame.error())));
    if (frame->type != records::RecordType::feature_level) continue;
    const auto record = records::decode_body<records::FeatureLevelRecord>(*frame, arena);
    if (!record) return std::unexpected("FeatureLevelRecord: " + std::string(records::name(record.error())));
    if (record->name == "metadata.version")
      levels.metadata_version = metadata_version_from_level(record->feature_level);
    if (record->name == "eligible.leader.replicas.version") levels.elr = record->feature_level > 0;
  }
  return levels;
}

template <class Record>
Buffer frame_of(const Record& record) {
  Buffer frame;
  records::append_frame(frame, record, 0);
  return frame;
}

Buffer metadata_version_record(MetadataVersion version) {
  records::FeatureLevelRecord record;
  record.name = "metadata.version";
  record.feature_level = version.level;
  return frame_of(record);
}

Buffer min_isr_record(const NodeConfig& config) {
  const auto configured = config.static_configs.find(std::string(min_isr_key));
  records::ConfigRecord record;
  record.resource_type = static_cast<std::int8_t>(ConfigResourceType::broker);
  record.name = min_isr_key;
  record.value = configured == config.static_configs.end() ? "1" : std::string_view(configured->second);
  return frame_of(record);
}

}  // namespace

std::expected<std::vector<Buffer>, std::string> make_bootstrap(const NodeConfig& config,
                                                               std::span<const Buffer> given) {
  std::vector<Buffer> records(given.begin(), given.end());
  if (records.empty()) records.push_back(metadata_version_record(latest_production_metadata_version));
  const auto levels = levels_of(records);
  if (!levels) return std::unexpected(levels.error());
  if (!levels->metadata_version) return std::unexpected("expected a known metadata.version, found none");
  if (levels->elr) records.push_back(min_isr_record(config));
  if (levels->metadata_version->transactions()) {
    records::BeginTransactionRecord begin;
    begin.name = "Bootstrap records";
    records.insert(records.begin(), frame_of(begin));
    records.push_back(frame_of(records::EndTransactionRecord{}));
  }
  return records;
}

}  // namespace hayward::core

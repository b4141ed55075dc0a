// Which version each record type is written in, by metadata.version.
// Owner: engine/core. Shard 0.
#include "engine/core/records.h"

#include "schemas/records/record_type.h"

namespace hayward::core {
namespace {

using records::RecordType;

std::int16_t register_broker_version(MetadataVersion version) {
  if (version.cordoned_log_dirs()) return 4;
  if (version.directory_assignment()) return 3;
  return version.zk_migration() ? 2 : 1;
}

std::int16_t registration_change_version(MetadataVersion version) {
  if (version.cordoned_log_dirs()) return 3;
  return version.directory_assignment() ? 2 : 1;
}

std::int16_t partition_version(MetadataVersion version) {
  if (version.elr()) return 2;
  return version.directory_assignment() ? 1 : 0;
}

std::optional<std::int16_t> version_zero_if(bool allowed) {
  return allowed ? std::optional<std::int16_t>(std::int16_t{0}) : std::nullopt;
}

}  // namespace

std::optional<std::int16_t> record_version(std::int16_t record_key, MetadataVersion version) {
  if (!records::find_record_type(record_key)) return std::nullopt;
  switch (static_cast<RecordType>(record_key)) {
    case RecordType::register_broker: return register_broker_version(version);
    case RecordType::broker_registration_change: return registration_change_version(version);
    case RecordType::partition:
    case RecordType::partition_change: return partition_version(version);
    case RecordType::user_scram_credential:
    case RecordType::remove_user_scram_credential: return version_zero_if(version.scram());
    case RecordType::begin_transaction:
    case RecordType::end_transaction:
    case RecordType::abort_transaction: return version_zero_if(version.transactions());
    case RecordType::delegation_token:
    case RecordType::remove_delegation_token: return version_zero_if(version.delegation_tokens());
    case RecordType::register_controller: return version_zero_if(version.controller_registration());
    case RecordType::clear_elr: return version_zero_if(version.elr());
    // Read from old logs only.
    case RecordType::fence_broker:
    case RecordType::unfence_broker:
    case RecordType::zk_migration_state: return std::nullopt;
    default: return std::int16_t{0};
  }
}

void RecordList::truncate(std::size_t count) {
  HAYWARD_ASSERT(count <= ends_.size(), "records are only dropped");
  ends_.resize(count);
  bytes_.resize(count == 0 ? 0 : ends_.back());
}

}  // namespace hayward::core

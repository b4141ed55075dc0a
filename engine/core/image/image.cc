// Image: from a record's bytes to the apply() of its type.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/image.h"

#include <string>

#include "engine/core/image/frozen_image.h"
#include "engine/core/image/replay.h"
#include "schemas/records/abort_transaction_record.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/clear_elr_record.h"
#include "schemas/records/client_quota_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/fence_broker_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/no_op_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/producer_ids_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/remove_access_control_entry_record.h"
#include "schemas/records/remove_delegation_token_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/remove_user_scram_credential_record.h"
#include "schemas/records/topic_record.h"
#include "schemas/records/unfence_broker_record.h"
#include "schemas/records/unregister_broker_record.h"
#include "schemas/records/user_scram_credential_record.h"
#include "schemas/records/zk_migration_state_record.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

using records::RecordType;

template <class Record>
Applied decode_and_apply(ReplayContext& context, const records::Frame& frame, Arena& arena) {
  const std::expected<Record, records::FrameError> record = records::decode_body<Record>(frame, arena);
  if (!record) return mismatch("a whole record of version " + std::to_string(frame.version), std::string(name(record.error())));
  return apply(context, *record);
}

Applied dispatch(ReplayContext& context, const records::Frame& frame, Arena& arena) {
  switch (frame.type) {
    case RecordType::register_broker: return decode_and_apply<records::RegisterBrokerRecord>(context, frame, arena);
    case RecordType::unregister_broker: return decode_and_apply<records::UnregisterBrokerRecord>(context, frame, arena);
    case RecordType::topic: return decode_and_apply<records::TopicRecord>(context, frame, arena);
    case RecordType::partition: return decode_and_apply<records::PartitionRecord>(context, frame, arena);
    case RecordType::config: return decode_and_apply<records::ConfigRecord>(context, frame, arena);
    case RecordType::partition_change: return decode_and_apply<records::PartitionChangeRecord>(context, frame, arena);
    case RecordType::fence_broker: return decode_and_apply<records::FenceBrokerRecord>(context, frame, arena);
    case RecordType::unfence_broker: return decode_and_apply<records::UnfenceBrokerRecord>(context, frame, arena);
    case RecordType::remove_topic: return decode_and_apply<records::RemoveTopicRecord>(context, frame, arena);
    case RecordType::delegation_token: return decode_and_apply<records::DelegationTokenRecord>(context, frame, arena);
    case RecordType::user_scram_credential:
      return decode_and_apply<records::UserScramCredentialRecord>(context, frame, arena);
    case RecordType::feature_level: return decode_and_apply<records::FeatureLevelRecord>(context, frame, arena);
    case RecordType::client_quota: return decode_and_apply<records::ClientQuotaRecord>(context, frame, arena);
    case RecordType::producer_ids: return decode_and_apply<records::ProducerIdsRecord>(context, frame, arena);
    case RecordType::broker_registration_change:
      return decode_and_apply<records::BrokerRegistrationChangeRecord>(context, frame, arena);
    case RecordType::access_control_entry:
      return decode_and_apply<records::AccessControlEntryRecord>(context, frame, arena);
    case RecordType::remove_access_control_entry:
      return decode_and_apply<records::RemoveAccessControlEntryRecord>(context, frame, arena);
    case RecordType::no_op: return decode_and_apply<records::NoOpRecord>(context, frame, arena);
    case RecordType::zk_migration_state: return decode_and_apply<records::ZkMigrationStateRecord>(context, frame, arena);
    case RecordType::remove_user_scram_credential:
      return decode_and_apply<records::RemoveUserScramCredentialRecord>(context, frame, arena);
    case RecordType::begin_transaction: return decode_and_apply<records::BeginTransactionRecord>(context, frame, arena);
    case RecordType::end_transaction: return decode_and_apply<records::EndTransactionRecord>(context, frame, arena);
    case RecordType::abort_transaction: return decode_and_apply<records::AbortTransactionRecord>(context, frame, arena);
    case RecordType::remove_delegation_token:
      return decode_and_apply<records::RemoveDelegationTokenRecord>(context, frame, arena);
    case RecordType::register_controller:
      return decode_and_apply<records::RegisterControllerRecord>(context, frame, arena);
    case RecordType::clear_elr: return decode_and_apply<records::ClearElrRecord>(context, frame, arena);
  }
  return mismatch("a known record type", "type " + std::to_string(static_cast<int>(frame.type)));
}

// What the frame of a record that parse_frame has refused says of itself.
std::string describe_frame(Bytes value) {
  Reader reader(value);
  const std::uint32_t frame = reader.read_uvarint();
  const std::uint32_t type = reader.read_uvarint();
  const std::uint32_t version = reader.read_uvarint();
  if (!reader.ok()) return std::to_string(value.size()) + " bytes";
  return "frame " + std::to_string(frame) + ", type " + std::to_string(type) + ", version " + std::to_string(version);
}

}  // namespace

std::expected<void, ReplayError> Image::replay(Bytes record_frame, Offset offset, ReplaySource source) {
  const std::expected<records::Frame, records::FrameError> frame = records::parse_frame(record_frame);
  if (!frame) {
    return std::unexpected(ReplayError{offset, "(" + std::string(name(frame.error())) + ")",
                                       "frame 1 of a known type and version", describe_frame(record_frame)});
  }
  arena_.reset();
  ReplayContext context{parts_, undo_, offset, source, unstable_feature_versions_};
  Applied applied = dispatch(context, *frame, arena_);
  if (!applied) {
    const records::RecordInfo* info = records::find_record_type(static_cast<std::int32_t>(frame->type));
    return std::unexpected(ReplayError{offset, std::string(info->name) + "Record", std::move(applied.error().expected),
                                       std::move(applied.error().found)});
  }
  last_offset_ = offset;
  return {};
}

std::unique_ptr<FrozenImage> Image::freeze() { return std::make_unique<FrozenImage>(parts_, undo_); }

void Image::take(Image&& other) {
  HAYWARD_ASSERT(!undo_.reports() && !other.undo_.reports(), "no snapshot is being written of what goes");
  parts_ = std::move(other.parts_);
  undo_ = std::move(other.undo_);
  last_offset_ = other.last_offset_;
}

void Image::revert_to(Offset offset) {
  undo_.revert_to(parts_, offset);
  last_offset_ = std::min(last_offset_, offset);
}

}  // namespace hayward::core

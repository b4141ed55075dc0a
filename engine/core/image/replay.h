// How each record type changes the image: one apply() a type, by family in *_replay.cc. Each looks at
// everything first and changes only what it then knows to be right; a Mismatch has changed nothing.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/image/image.h"
#include "engine/core/image/undo.h"

namespace hayward::records {
struct AbortTransactionRecord;
struct AccessControlEntryRecord;
struct BeginTransactionRecord;
struct BrokerRegistrationChangeRecord;
struct ClearElrRecord;
struct ClientQuotaRecord;
struct ConfigRecord;
struct DelegationTokenRecord;
struct EndTransactionRecord;
struct FeatureLevelRecord;
struct FenceBrokerRecord;
struct NoOpRecord;
struct PartitionChangeRecord;
struct PartitionRecord;
struct ProducerIdsRecord;
struct RegisterBrokerRecord;
struct RegisterControllerRecord;
struct RemoveAccessControlEntryRecord;
struct RemoveDelegationTokenRecord;
struct RemoveTopicRecord;
struct RemoveUserScramCredentialRecord;
struct TopicRecord;
struct UnfenceBrokerRecord;
struct UnregisterBrokerRecord;
struct UserScramCredentialRecord;
struct ZkMigrationStateRecord;
}  // namespace hayward::records

namespace hayward::core {

struct ReplayContext {
  ImageParts& parts;
  UndoLog& undo;
  Offset offset;                    // of the record
  ReplaySource source;
  bool unstable_feature_versions;

  void make(Change change) { undo.apply(parts, offset, std::move(change)); }
};

using Applied = std::expected<void, Mismatch>;

// `before` as it is after `record`, a change of it; handlers look ahead with it.
std::expected<Partition, Mismatch> merge(const Partition& before, const records::PartitionChangeRecord& record);

inline std::unexpected<Mismatch> mismatch(std::string expected, std::string found) {
  return std::unexpected(Mismatch{std::move(expected), std::move(found)});
}

Applied apply(ReplayContext&, const records::AbortTransactionRecord&);
Applied apply(ReplayContext&, const records::AccessControlEntryRecord&);
Applied apply(ReplayContext&, const records::BeginTransactionRecord&);
Applied apply(ReplayContext&, const records::BrokerRegistrationChangeRecord&);
Applied apply(ReplayContext&, const records::ClearElrRecord&);
Applied apply(ReplayContext&, const records::ClientQuotaRecord&);
Applied apply(ReplayContext&, const records::ConfigRecord&);
Applied apply(ReplayContext&, const records::DelegationTokenRecord&);
Applied apply(ReplayContext&, const records::EndTransactionRecord&);
Applied apply(ReplayContext&, const records::FeatureLevelRecord&);
Applied apply(ReplayContext&, const records::FenceBrokerRecord&);
Applied apply(ReplayContext&, const records::NoOpRecord&);
Applied apply(ReplayContext&, const records::PartitionChangeRecord&);
Applied apply(ReplayContext&, const records::PartitionRecord&);
Applied apply(ReplayContext&, const records::ProducerIdsRecord&);
Applied apply(ReplayContext&, const records::RegisterBrokerRecord&);
Applied apply(ReplayContext&, const records::RegisterControllerRecord&);
Applied apply(ReplayContext&, const records::RemoveAccessControlEntryRecord&);
Applied apply(ReplayContext&, const records::RemoveDelegationTokenRecord&);
Applied apply(ReplayContext&, const records::RemoveTopicRecord&);
Applied apply(ReplayContext&, const records::RemoveUserScramCredentialRecord&);
Applied apply(ReplayContext&, const records::TopicRecord&);
Applied apply(ReplayContext&, const records::UnfenceBrokerRecord&);
Applied apply(ReplayContext&, const records::UnregisterBrokerRecord&);
Applied apply(ReplayContext&, const records::UserScramCredentialRecord&);
Applied apply(ReplayContext&, const records::ZkMigrationStateRecord&);

}  // namespace hayward::core

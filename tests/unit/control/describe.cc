// Records as text: what they say and no more, so that a test reads like the log.
#include <string>

#include "cluster.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/clear_elr_record.h"
#include "schemas/records/client_quota_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/producer_ids_record.h"
#include "schemas/records/remove_access_control_entry_record.h"
#include "schemas/records/remove_delegation_token_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/remove_user_scram_credential_record.h"
#include "schemas/records/topic_record.h"
#include "schemas/records/user_scram_credential_record.h"

namespace hayward::core {
namespace {

using records::RecordType;

template <class Record>
Record decoded(const records::Frame& frame, Arena& arena) {
  return records::decode_body<Record>(frame, arena).value();
}

template <class Id>
std::string list_text(const Array<Id>& items) {
  std::string text = "[";
  for (const Id& item : items) {
    if (text.size() > 1) text += ' ';
    if constexpr (std::is_same_v<Id, DirectoryId>)
      text += std::to_string(item.value.lo);
    else
      text += std::to_string(item.value);
  }
  return text + "]";
}

std::string name_of(TopicId id, const Image& image) {
  const Topic* topic = image.topics().find(id);
  return topic == nullptr ? "?" : topic->name;
}

std::string text_of(const records::PartitionRecord& record, const Image& image) {
  return "Partition " + name_of(record.topic_id, image) + "-" + std::to_string(record.partition_id.value) + " " +
         list_text(record.replicas) + " isr " + list_text(record.isr) + " leader " +
         std::to_string(record.leader.value) + " dirs " + list_text(record.directories);
}

std::string text_of(const records::PartitionChangeRecord& record, const Image& image) {
  std::string text = "Change " + name_of(record.topic_id, image) + "-" + std::to_string(record.partition_id.value);
  if (!record.replicas.is_null()) text += " replicas " + list_text(record.replicas);
  if (!record.isr.is_null()) text += " isr " + list_text(record.isr);
  if (record.leader != NodeId{-2}) text += " leader " + std::to_string(record.leader.value);
  if (record.leader_recovery_state != -1) text += " recovery " + std::to_string(record.leader_recovery_state);
  if (!record.eligible_leader_replicas.is_null()) text += " elr " + list_text(record.eligible_leader_replicas);
  if (!record.last_known_elr.is_null()) text += " last_known " + list_text(record.last_known_elr);
  if (!record.adding_replicas.is_null()) text += " adding " + list_text(record.adding_replicas);
  if (!record.removing_replicas.is_null()) text += " removing " + list_text(record.removing_replicas);
  if (!record.directories.is_null()) text += " dirs " + list_text(record.directories);
  return text;
}

std::string text_of(const records::ConfigRecord& record) {
  std::string text = "Config " + std::to_string(record.resource_type) + ":" + std::string(record.resource_name) + " ";
  text.append(record.name).append(record.value ? "=" : " removed").append(record.value.value_or(""));
  return text;
}

std::string codes_text(std::initializer_list<std::int8_t> codes) {
  std::string text;
  for (const std::int8_t code : codes) text += (text.empty() ? "" : "/") + std::to_string(code);
  return text;
}

std::string text_of(const records::AccessControlEntryRecord& record) {
  return "Acl " + std::string(record.resource_name) + " " + std::string(record.principal) + " " +
         codes_text({record.resource_type, record.pattern_type, record.operation, record.permission_type});
}

std::string text_of(const records::ClientQuotaRecord& record) {
  std::string text = "Quota";
  for (const auto& part : record.entity) {
    text.append(" ").append(part.entity_type).append("=").append(part.entity_name.value_or("<default>"));
  }
  text.append(" ").append(record.key);
  return text + (record.remove ? " removed" : "=" + std::to_string(record.value));
}

std::string text_of(const records::DelegationTokenRecord& record) {
  std::string text = "Token of " + std::string(record.owner) + " by " + std::string(record.requester);
  for (const std::string_view renewer : record.renewers) text.append(" renewer ").append(renewer);
  return text + " issued " + std::to_string(record.issue_timestamp) + " expires " +
         std::to_string(record.expiration_timestamp) + " at most " + std::to_string(record.max_timestamp);
}

std::string text_of(const records::BrokerRegistrationChangeRecord& record) {
  return "Broker " + std::to_string(record.broker_id.value) +
         (record.fenced > 0   ? " fenced"
          : record.fenced < 0 ? " unfenced"
                              : "");
}

}  // namespace

std::string describe(Bytes bytes, const Image& image) {
  Arena arena;
  const records::Frame frame = records::parse_frame(bytes).value();
  switch (frame.type) {
    case RecordType::topic:
      return "Topic " + std::string(decoded<records::TopicRecord>(frame, arena).name);
    case RecordType::partition:
      return text_of(decoded<records::PartitionRecord>(frame, arena), image);
    case RecordType::partition_change:
      return text_of(decoded<records::PartitionChangeRecord>(frame, arena), image);
    case RecordType::config:
      return text_of(decoded<records::ConfigRecord>(frame, arena));
    case RecordType::remove_topic:
      return "RemoveTopic " + name_of(decoded<records::RemoveTopicRecord>(frame, arena).topic_id, image);
    case RecordType::clear_elr:
      return "ClearElr " + std::string(decoded<records::ClearElrRecord>(frame, arena).topic_name);
    case RecordType::producer_ids:
      return "ProducerIds " + std::to_string(decoded<records::ProducerIdsRecord>(frame, arena).next_producer_id);
    case RecordType::feature_level: {
      const auto record = decoded<records::FeatureLevelRecord>(frame, arena);
      return "Feature " + std::string(record.name) + "=" + std::to_string(record.feature_level);
    }
    case RecordType::broker_registration_change:
      return text_of(decoded<records::BrokerRegistrationChangeRecord>(frame, arena));
    case RecordType::access_control_entry:
      return text_of(decoded<records::AccessControlEntryRecord>(frame, arena));
    case RecordType::remove_access_control_entry: {
      const Acl* acl = image.acls().find(decoded<records::RemoveAccessControlEntryRecord>(frame, arena).id);
      return "RemoveAcl " + (acl == nullptr ? "?" : acl->resource_name);
    }
    case RecordType::client_quota:
      return text_of(decoded<records::ClientQuotaRecord>(frame, arena));
    case RecordType::user_scram_credential: {
      const auto record = decoded<records::UserScramCredentialRecord>(frame, arena);
      return "Scram " + std::string(record.name) + " " + codes_text({record.mechanism});
    }
    case RecordType::remove_user_scram_credential: {
      const auto record = decoded<records::RemoveUserScramCredentialRecord>(frame, arena);
      return "RemoveScram " + std::string(record.name) + " " + codes_text({record.mechanism});
    }
    case RecordType::delegation_token:
      return text_of(decoded<records::DelegationTokenRecord>(frame, arena));
    case RecordType::remove_delegation_token:
      return "RemoveToken " + std::string(decoded<records::RemoveDelegationTokenRecord>(frame, arena).token_id);
    case RecordType::no_op:
      return "NoOp";
    default:
      return "record type " + std::to_string(static_cast<int>(frame.type));
  }
}

}  // namespace hayward::core

// Records about ACLs, SCRAM credentials and delegation tokens.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/replay.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/remove_access_control_entry_record.h"
#include "schemas/records/remove_delegation_token_record.h"
#include "schemas/records/remove_user_scram_credential_record.h"
#include "schemas/records/user_scram_credential_record.h"

namespace hayward::core {

Applied apply(ReplayContext& context, const records::AccessControlEntryRecord& record) {
  Acl acl{record.resource_type,
          std::string(record.resource_name),
          record.pattern_type,
          std::string(record.principal),
          std::string(record.host),
          record.operation,
          record.permission_type};
  context.make(AclChange{record.id, std::move(acl)});
  return {};
}

Applied apply(ReplayContext& context, const records::RemoveAccessControlEntryRecord& record) {
  if (!context.parts.acls.find(record.id)) return mismatch("ACL " + record.id.to_string(), "no such ACL");
  context.make(AclChange{record.id, std::nullopt});
  return {};
}

Applied apply(ReplayContext& context, const records::UserScramCredentialRecord& record) {
  ScramCredential credential{Buffer(record.salt.begin(), record.salt.end()),
                             Buffer(record.stored_key.begin(), record.stored_key.end()),
                             Buffer(record.server_key.begin(), record.server_key.end()), record.iterations};
  context.make(ScramChange{{std::string(record.name), record.mechanism}, std::move(credential)});
  return {};
}

Applied apply(ReplayContext& context, const records::RemoveUserScramCredentialRecord& record) {
  if (!context.parts.scram.find(record.name, record.mechanism)) {
    return mismatch("a credential of mechanism " + std::to_string(record.mechanism) + " for user " + std::string(record.name),
                    "no such credential");
  }
  context.make(ScramChange{{std::string(record.name), record.mechanism}, std::nullopt});
  return {};
}

Applied apply(ReplayContext& context, const records::DelegationTokenRecord& record) {
  DelegationToken token;
  token.token_id = std::string(record.token_id);
  token.owner = std::string(record.owner);
  token.requester = std::string(record.requester);
  for (std::string_view renewer : record.renewers) token.renewers.emplace_back(renewer);
  token.issue_timestamp_ms = record.issue_timestamp;
  token.max_timestamp_ms = record.max_timestamp;
  token.expiration_timestamp_ms = record.expiration_timestamp;
  context.make(std::make_unique<TokenChange>(TokenChange{std::string(record.token_id), std::move(token)}));
  return {};
}

// A token that is not there is no error, as in Kafka.
Applied apply(ReplayContext& context, const records::RemoveDelegationTokenRecord& record) {
  context.make(std::make_unique<TokenChange>(TokenChange{std::string(record.token_id), std::nullopt}));
  return {};
}

}  // namespace hayward::core

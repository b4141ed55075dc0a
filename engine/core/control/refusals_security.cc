// See refusals.h: quotas, SCRAM credentials, ACLs and delegation tokens.
// Owner: engine/core/control. Shard 0.
#include <set>
#include <string_view>

#include "engine/core/control/refusal_parts.h"
#include "engine/core/control/refusals.h"

namespace hayward::core {

using namespace messages;

AlterClientQuotasResponse refusal(const AlterClientQuotasRequest& request, ErrorCode error, Arena& arena) {
  AlterClientQuotasResponse response;
  for (const auto& refused : request.entries) {
    auto& entry = response.entries.push_back(arena);
    entry.error_code = error;
    entry.error_message = refusal_text(error);
    for (const auto& part : refused.entity) entry.entity.push_back(arena, {part.entity_type, part.entity_name});
  }
  return response;
}

// One result a user, by name.
AlterUserScramCredentialsResponse refusal(const AlterUserScramCredentialsRequest& request, ErrorCode error,
                                          Arena& arena) {
  std::set<std::string_view> users;
  for (const auto& deletion : request.deletions) users.insert(deletion.name);
  for (const auto& upsertion : request.upsertions) users.insert(upsertion.name);
  AlterUserScramCredentialsResponse response;
  for (const std::string_view user : users) response.results.push_back(arena, {user, error, refusal_text(error)});
  return response;
}

CreateAclsResponse refusal(const CreateAclsRequest& request, ErrorCode error, Arena& arena) {
  CreateAclsResponse response;
  const auto refused = refused_item<CreateAclsResponse::AclCreationResult>(error);
  for (std::size_t i = 0; i < request.creations.size(); ++i) response.results.push_back(arena, refused);
  return response;
}

DeleteAclsResponse refusal(const DeleteAclsRequest& request, ErrorCode error, Arena& arena) {
  DeleteAclsResponse response;
  const auto refused = refused_item<DeleteAclsResponse::DeleteAclsFilterResult>(error);
  for (std::size_t i = 0; i < request.filters.size(); ++i) response.filter_results.push_back(arena, refused);
  return response;
}

DescribeAclsResponse refusal(const DescribeAclsRequest&, ErrorCode error, Arena&) {
  return at_the_top<DescribeAclsResponse>(error);
}

CreateDelegationTokenResponse refusal(const CreateDelegationTokenRequest&, ErrorCode error, Arena&) {
  auto response = at_the_top<CreateDelegationTokenResponse>(error);
  response.principal_type = response.token_requester_principal_type = "User";
  response.principal_name = response.token_requester_principal_name = "ANONYMOUS";
  response.issue_timestamp_ms = response.expiry_timestamp_ms = response.max_timestamp_ms = -1;
  return response;
}

RenewDelegationTokenResponse refusal(const RenewDelegationTokenRequest&, ErrorCode error, Arena&) {
  return at_the_top<RenewDelegationTokenResponse>(error);
}

ExpireDelegationTokenResponse refusal(const ExpireDelegationTokenRequest&, ErrorCode error, Arena&) {
  return at_the_top<ExpireDelegationTokenResponse>(error);
}

}  // namespace hayward::core

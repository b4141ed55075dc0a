// AlterUserScramCredentials (51): sets and removes the credentials that brokers check SCRAM clients against.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/records.h"
#include "schemas/messages/alter_user_scram_credentials_request.h"
#include "schemas/messages/alter_user_scram_credentials_response.h"

namespace hayward::core {

// One result a user, those that succeed first. Errors of a user, who is then not changed: unsupported_version
// (metadata.version below 11), unacceptable_credential (no name, iterations outside [4096, 16384]),
// unsupported_sasl_mechanism, resource_not_found (removal of what is not there), duplicate_resource (named more
// than once), unknown_server_error (an empty salted password). The same credential again is written again.
messages::AlterUserScramCredentialsResponse alter_user_scram_credentials(
    const HandlerContext& context, const messages::AlterUserScramCredentialsRequest& request, RecordList& records);

}  // namespace hayward::core

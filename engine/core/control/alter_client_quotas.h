// AlterClientQuotas (49): what brokers hold users, client ids and addresses to.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include "engine/core/control/context.h"
#include "engine/core/records.h"
#include "schemas/messages/alter_client_quotas_request.h"
#include "schemas/messages/alter_client_quotas_response.h"

namespace hayward::core {

// One result an entity, in the request's order. invalid_request, with nothing of that entry written: no entity or
// an unknown type or empty name; ip beside user or client-id; an ip that is no address (names are not looked up:
// docs/decisions/0006); a key that the entity does not have, a value out of its range, a key twice. An entity that
// is listed again after an entry of its own is invalid_request too, with the first entry written, as in Kafka.
messages::AlterClientQuotasResponse alter_client_quotas(const HandlerContext& context,
                                                        const messages::AlterClientQuotasRequest& request,
                                                        RecordList& records);

}  // namespace hayward::core

// Every API whose answer comes from one call: its key and the function that goes from the request's bytes to
// the answer's. (Fetch and FetchSnapshot answer from the log; Envelope holds another request.)
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstdint>

#include "engine/core/control/handler_call.h"

namespace hayward::core {

using Handler = Outcome (*)(HandlerCall&);

// nullptr: no such API.
Handler find_handler(std::int16_t api_key);

// Brokers' life and the cluster (handlers_brokers.cc).
Outcome handle_broker_registration(HandlerCall& call);
Outcome handle_broker_heartbeat(HandlerCall& call);
Outcome handle_unregister_broker(HandlerCall& call);
Outcome handle_controller_registration(HandlerCall& call);
Outcome handle_describe_cluster(HandlerCall& call);

// Topics, configs, features (handlers_topics.cc).
Outcome handle_create_topics(HandlerCall& call);
Outcome handle_delete_topics(HandlerCall& call);
Outcome handle_describe_configs(HandlerCall& call);
Outcome handle_create_partitions(HandlerCall& call);
Outcome handle_incremental_alter_configs(HandlerCall& call);
Outcome handle_alter_configs(HandlerCall& call);
Outcome handle_alter_partition(HandlerCall& call);
Outcome handle_elect_leaders(HandlerCall& call);
Outcome handle_alter_partition_reassignments(HandlerCall& call);
Outcome handle_list_partition_reassignments(HandlerCall& call);
Outcome handle_update_features(HandlerCall& call);
Outcome handle_allocate_producer_ids(HandlerCall& call);
Outcome handle_assign_replicas_to_dirs(HandlerCall& call);

// Quotas, SCRAM credentials, ACLs, delegation tokens (handlers_security.cc).
Outcome handle_describe_acls(HandlerCall& call);
Outcome handle_create_acls(HandlerCall& call);
Outcome handle_delete_acls(HandlerCall& call);
Outcome handle_create_delegation_token(HandlerCall& call);
Outcome handle_renew_delegation_token(HandlerCall& call);
Outcome handle_expire_delegation_token(HandlerCall& call);
Outcome handle_alter_client_quotas(HandlerCall& call);
Outcome handle_alter_user_scram_credentials(HandlerCall& call);

// The quorum (handlers_quorum.cc).
Outcome handle_api_versions(HandlerCall& call);
Outcome handle_vote(HandlerCall& call);
Outcome handle_begin_quorum_epoch(HandlerCall& call);
Outcome handle_end_quorum_epoch(HandlerCall& call);
Outcome handle_describe_quorum(HandlerCall& call);
Outcome handle_status(HandlerCall& call);

// Its voters (handlers_voters.cc).
Outcome handle_add_raft_voter(HandlerCall& call);
Outcome handle_remove_raft_voter(HandlerCall& call);
Outcome handle_update_raft_voter(HandlerCall& call);

}  // namespace hayward::core

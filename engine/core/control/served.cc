// See served.h, handlers.h and access.h: the one table of what is served, by whom, and to whom.
#include "engine/core/control/served.h"

#include <algorithm>
#include <array>

#include "engine/core/control/access.h"
#include "engine/core/control/handlers.h"
#include "schemas/messages/api_keys.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

using messages::ApiKey;

struct Row {
  ApiKey key;
  Handler handler;  // nullptr: answered by dispatch itself
  Access access;    // what Kafka's ControllerApis demands
};

constexpr Access open = Access::open();
constexpr Access by_item = Access::by_item();
constexpr Access cluster_action = Access::cluster(AclOperation::cluster_action);
constexpr Access alter_configs = Access::cluster(AclOperation::alter_configs);
constexpr Access alter = Access::cluster(AclOperation::alter);
constexpr Access describe = Access::cluster(AclOperation::describe);

constexpr Row rows[] = {
    {ApiKey::fetch, nullptr, cluster_action},
    {ApiKey::api_versions, handle_api_versions, open},
    {ApiKey::create_topics, handle_create_topics, by_item},
    {ApiKey::delete_topics, handle_delete_topics, by_item},
    {ApiKey::describe_acls, handle_describe_acls, describe},
    {ApiKey::create_acls, handle_create_acls, alter},
    {ApiKey::delete_acls, handle_delete_acls, alter},
    {ApiKey::describe_configs, handle_describe_configs, by_item},
    {ApiKey::alter_configs, handle_alter_configs, by_item},
    {ApiKey::create_partitions, handle_create_partitions, by_item},
    {ApiKey::create_delegation_token, handle_create_delegation_token, by_item},
    {ApiKey::renew_delegation_token, handle_renew_delegation_token, open},
    {ApiKey::expire_delegation_token, handle_expire_delegation_token, open},
    {ApiKey::elect_leaders, handle_elect_leaders, alter},
    {ApiKey::incremental_alter_configs, handle_incremental_alter_configs, by_item},
    {ApiKey::alter_partition_reassignments, handle_alter_partition_reassignments, alter},
    {ApiKey::list_partition_reassignments, handle_list_partition_reassignments, describe},
    {ApiKey::alter_client_quotas, handle_alter_client_quotas, alter_configs},
    {ApiKey::alter_user_scram_credentials, handle_alter_user_scram_credentials, alter},
    {ApiKey::vote, handle_vote, cluster_action},
    {ApiKey::begin_quorum_epoch, handle_begin_quorum_epoch, cluster_action},
    {ApiKey::end_quorum_epoch, handle_end_quorum_epoch, cluster_action},
    {ApiKey::describe_quorum, handle_describe_quorum, describe},
    {ApiKey::alter_partition, handle_alter_partition, cluster_action},
    {ApiKey::update_features, handle_update_features, alter},
    {ApiKey::envelope, nullptr, cluster_action},
    {ApiKey::fetch_snapshot, nullptr, cluster_action},
    {ApiKey::describe_cluster, handle_describe_cluster, by_item},
    {ApiKey::broker_registration, handle_broker_registration, cluster_action},
    {ApiKey::broker_heartbeat, handle_broker_heartbeat, cluster_action},
    {ApiKey::unregister_broker, handle_unregister_broker, alter},
    {ApiKey::allocate_producer_ids, handle_allocate_producer_ids, cluster_action},
    {ApiKey::controller_registration, handle_controller_registration, cluster_action},
    {ApiKey::assign_replicas_to_dirs, handle_assign_replicas_to_dirs, cluster_action},
    {ApiKey::add_raft_voter, handle_add_raft_voter, alter},
    {ApiKey::remove_raft_voter, handle_remove_raft_voter, alter},
    {ApiKey::update_raft_voter, handle_update_raft_voter, cluster_action},
    {ApiKey::hayward_status, handle_status, describe},
};

constexpr auto apis = [] {
  std::array<ServedApi, std::size(rows)> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const messages::ApiInfo& info = *messages::find_api(static_cast<std::int16_t>(rows[i].key));
    result[i] = {info.key, info.min_version, info.max_version, info.first_flexible_version,
                 info.key != hayward_status_key};
  }
  return result;
}();
static_assert(std::is_sorted(apis.begin(), apis.end(),
                             [](const ServedApi& a, const ServedApi& b) { return a.key < b.key; }));

}  // namespace

std::span<const ServedApi> served_apis() { return apis; }

const ServedApi* find_served(std::int16_t api_key) {
  const auto at = std::lower_bound(apis.begin(), apis.end(), api_key,
                                   [](const ServedApi& api, std::int16_t key) { return api.key < key; });
  return at == apis.end() || at->key != api_key ? nullptr : &*at;
}

Handler find_handler(std::int16_t api_key) {
  const ServedApi* api = find_served(api_key);
  return api == nullptr ? nullptr : rows[api - apis.data()].handler;
}

Access access_of(std::int16_t api_key) {
  const ServedApi* api = find_served(api_key);
  HAYWARD_ASSERT(api != nullptr, "asked of what is served");
  return rows[api - apis.data()].access;
}

}  // namespace hayward::core

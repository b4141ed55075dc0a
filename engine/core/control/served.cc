// See served.h and handlers.h: the one table of what is served, and by whom.
#include "engine/core/control/served.h"

#include <algorithm>
#include <array>

#include "engine/core/control/handlers.h"
#include "schemas/messages/api_keys.h"

namespace hayward::core {
namespace {

using messages::ApiKey;

struct Row {
  ApiKey key;
  Handler handler;  // nullptr: answered by dispatch itself
};

constexpr Row rows[] = {
    {ApiKey::fetch, nullptr},
    {ApiKey::api_versions, handle_api_versions},
    {ApiKey::create_topics, handle_create_topics},
    {ApiKey::delete_topics, handle_delete_topics},
    {ApiKey::describe_configs, handle_describe_configs},
    {ApiKey::alter_configs, handle_alter_configs},
    {ApiKey::create_partitions, handle_create_partitions},
    {ApiKey::elect_leaders, handle_elect_leaders},
    {ApiKey::incremental_alter_configs, handle_incremental_alter_configs},
    {ApiKey::alter_partition_reassignments, handle_alter_partition_reassignments},
    {ApiKey::list_partition_reassignments, handle_list_partition_reassignments},
    {ApiKey::vote, handle_vote},
    {ApiKey::begin_quorum_epoch, handle_begin_quorum_epoch},
    {ApiKey::end_quorum_epoch, handle_end_quorum_epoch},
    {ApiKey::describe_quorum, handle_describe_quorum},
    {ApiKey::alter_partition, handle_alter_partition},
    {ApiKey::update_features, handle_update_features},
    {ApiKey::envelope, nullptr},
    {ApiKey::fetch_snapshot, nullptr},
    {ApiKey::describe_cluster, handle_describe_cluster},
    {ApiKey::broker_registration, handle_broker_registration},
    {ApiKey::broker_heartbeat, handle_broker_heartbeat},
    {ApiKey::unregister_broker, handle_unregister_broker},
    {ApiKey::allocate_producer_ids, handle_allocate_producer_ids},
    {ApiKey::controller_registration, handle_controller_registration},
    {ApiKey::assign_replicas_to_dirs, handle_assign_replicas_to_dirs},
    {ApiKey::add_raft_voter, handle_add_raft_voter},
    {ApiKey::remove_raft_voter, handle_remove_raft_voter},
    {ApiKey::update_raft_voter, handle_update_raft_voter},
    {ApiKey::hayward_status, handle_status},
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

}  // namespace hayward::core

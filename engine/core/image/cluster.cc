// Cluster: questions about registrations, and their exchange.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/cluster.h"

#include <algorithm>
#include <utility>

#include "engine/core/image/exchange.h"

namespace hayward::core {

bool directory_less(DirectoryId a, DirectoryId b) {
  const auto halves = [](DirectoryId id) {
    return std::pair(static_cast<std::int64_t>(id.value.hi), static_cast<std::int64_t>(id.value.lo));
  };
  return halves(a) < halves(b);
}

bool BrokerRegistration::has_online_dir(DirectoryId directory) const {
  if (directory == directory_unassigned || directory == directory_migrating) return true;
  if (directory == directory_lost) return false;
  return log_dirs.empty() || std::binary_search(log_dirs.begin(), log_dirs.end(), directory, directory_less);
}

bool BrokerRegistration::has_uncordoned_dirs() const {
  if (log_dirs.empty() || !cordoned_log_dirs) return true;
  return !std::ranges::all_of(log_dirs, [this](DirectoryId d) { return std::ranges::count(*cordoned_log_dirs, d) > 0; });
}

DirectoryId BrokerRegistration::default_dir() const {
  if (log_dirs.empty()) return directory_migrating;
  return log_dirs.size() == 1 ? log_dirs.front() : directory_unassigned;
}

const Endpoint* BrokerRegistration::endpoint(std::string_view listener) const {
  const auto at = std::ranges::find(endpoints, listener, &Endpoint::listener);
  return at == endpoints.end() ? nullptr : &*at;
}

const FeatureRange* BrokerRegistration::feature(std::string_view name) const {
  const auto at = std::ranges::find(features, name, &FeatureRange::name);
  return at == features.end() ? nullptr : &*at;
}

const BrokerRegistration* Cluster::broker(NodeId id) const {
  const auto at = brokers_.find(id);
  return at == brokers_.end() ? nullptr : &at->second;
}

const ControllerRegistration* Cluster::controller(NodeId id) const {
  const auto at = controllers_.find(id);
  return at == controllers_.end() ? nullptr : &at->second;
}

bool Cluster::is_active(NodeId id) const {
  const BrokerRegistration* registration = broker(id);
  return registration && registration->active();
}

const BrokerRegistration* Cluster::owner_of_dir(DirectoryId directory) const {
  const auto at = dir_owners_.find(directory);
  return at == dir_owners_.end() ? nullptr : broker(at->second);
}

DirectoryId Cluster::default_dir(NodeId id) const {
  const BrokerRegistration* registration = broker(id);
  return registration ? registration->default_dir() : directory_unassigned;
}

void Cluster::exchange_broker(NodeId id, std::optional<BrokerRegistration>& other) {
  if (const BrokerRegistration* before = broker(id)) {
    for (DirectoryId directory : before->log_dirs) dir_owners_.erase(directory);
  }
  exchange_entry(brokers_, id, other);
  changed_brokers_.insert(id);
  if (const BrokerRegistration* now = broker(id)) {
    for (DirectoryId directory : now->log_dirs) dir_owners_[directory] = id;
  }
}

void Cluster::exchange_controller(NodeId id, std::optional<ControllerRegistration>& other) {
  exchange_entry(controllers_, id, other);
}

}  // namespace hayward::core

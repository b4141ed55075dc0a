// See authorizer.h.
#include "engine/core/authorizer/authorizer.h"

namespace hayward::core {
namespace {

bool is_about_cluster(const Acl& acl) { return acl.resource_type == static_cast<std::int8_t>(ResourceType::cluster); }

}  // namespace

// True: it is, or was, about the cluster.
bool Authorizer::take(Uuid id, std::optional<Acl> now) {
  bool about_cluster = false;
  if (const auto before = acls_.find(id); before != acls_.end()) {
    about_cluster = is_about_cluster(before->second);
    rules_.remove(before->second);
    acls_.erase(before);
  }
  if (!now) return about_cluster;
  about_cluster |= is_about_cluster(*now);
  rules_.add(*now);
  acls_.emplace(id, std::move(*now));
  return about_cluster;
}

bool Authorizer::catch_up(std::vector<CommittedAcl> changes) {
  bool about_cluster = !rules_.ready();
  rules_.set_ready(true);
  for (auto& [id, now] : changes) about_cluster |= take(id, std::move(now));
  return about_cluster;
}

}  // namespace hayward::core

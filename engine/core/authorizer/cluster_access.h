// Who may do CLUSTER_ACTION, for a shard that is asked with every heartbeat: the rules that shard 0 has
// published last, and the answers already found by them. Closed until rules have come.
// Owner: the shard. Any shard; each has its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "engine/core/authorizer/access_rules.h"
#include "engine/core/types.h"

namespace hayward::core {

class ClusterAccess {
 public:
  // The rules are of AccessRules::cluster_only; they are shared and do not change.
  void replace(std::shared_ptr<const AccessRules> rules) {
    rules_ = std::move(rules);
    known_.clear();
  }

  // Whether a connection without authentication (User:ANONYMOUS) from `address` may do CLUSTER_ACTION.
  bool allows(const ClientAddress& address) {
    if (rules_ == nullptr) return false;
    if (!rules_->enabled()) return true;
    const Key key{address.length, address.bytes};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Decision decision = rules_->decide(requester("User", "ANONYMOUS", address), AclOperation::cluster_action,
                                             ResourceType::cluster, cluster_resource_name);
    if (known_.size() >= most_known) known_.clear();
    known_.emplace(key, decision == Decision::allowed);
    return decision == Decision::allowed;
  }

 private:
  using Key = std::pair<std::uint8_t, std::array<std::uint8_t, 16>>;
  static constexpr std::size_t most_known = 4096;

  std::shared_ptr<const AccessRules> rules_;
  std::map<Key, bool> known_;
};

}  // namespace hayward::core

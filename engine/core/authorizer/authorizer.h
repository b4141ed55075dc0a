// The controller's authorizer: the rules, fed with the ACLs as they are committed. What is only proposed is
// never seen by it, so that a write that is lost again has opened nothing and closed nothing.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/authorizer/access_rules.h"
#include "engine/core/image/security.h"
#include "schemas/runtime/uuid.h"

namespace hayward::core {

// An ACL's id and what is committed under it now; nullopt: nothing.
using CommittedAcl = std::pair<Uuid, std::optional<Acl>>;

class Authorizer {
 public:
  explicit Authorizer(const AuthorizerConfig& config) : rules_(config) {}

  bool enabled() const { return rules_.enabled(); }
  const AccessRules& rules() const { return rules_; }

  // What has been committed since the last call; the first call makes the authorizer ready. True: what it
  // decides about the cluster may have changed, and must be published to the shards.
  bool catch_up(std::vector<CommittedAcl> changes);

  // The rules about the cluster as they are now, for a ClusterAccess.
  std::shared_ptr<const AccessRules> published() const {
    return std::make_shared<const AccessRules>(rules_.cluster_only());
  }

  // The committed ACLs, ascending by id.
  const std::map<Uuid, Acl>& acls() const { return acls_; }

 private:
  bool take(Uuid id, std::optional<Acl> now);

  AccessRules rules_;
  std::map<Uuid, Acl> acls_;
};

}  // namespace hayward::core

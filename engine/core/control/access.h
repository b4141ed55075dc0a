// What Kafka's controller demands of a caller before an API is served. Every row of served.cc has one of these:
// an API without it does not compile.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/authorizer/access_rules.h"
#include "engine/core/control/context.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

struct NodeState;

class Access {
 public:
  // For everybody.
  static constexpr Access open() { return Access(Kind::open, AclOperation::unknown); }
  // The whole request by one operation on the cluster.
  static constexpr Access cluster(AclOperation operation) { return Access(Kind::cluster, operation); }
  // The handler asks about each item, by is_allowed().
  static constexpr Access by_item() { return Access(Kind::by_item, AclOperation::unknown); }

  // `by_item`: only whether the authorizer is ready to be asked.
  Decision check(const Authorizer& authorizer, const RequestContext& request) const;

 private:
  enum class Kind : std::uint8_t { open, cluster, by_item };
  constexpr Access(Kind kind, AclOperation operation) : kind_(kind), operation_(operation) {}

  Kind kind_;
  AclOperation operation_;
};

// The row of served.cc for `api_key`, which is served.
Access access_of(std::int16_t api_key);

// What only replicas ask: Fetch, FetchSnapshot, Vote, Begin- and EndQuorumEpoch.
bool is_replicas_api(std::int16_t api_key);
// The answer's error for a request that may not be served. A replica is never told cluster_authorization_failed: a Java
// broker or controller ends when it reads that (P2), and one ACL too many would end them all.
ErrorCode refusal_code(Decision decision, std::int16_t api_key);

// For handlers: whether the caller may do this. False also while the authorizer is not ready.
bool is_allowed(const HandlerContext& context, AclOperation operation, ResourceType type, std::string_view name);
inline bool is_allowed_on_cluster(const HandlerContext& context, AclOperation operation) {
  return is_allowed(context, operation, ResourceType::cluster, cluster_resource_name);
}

}  // namespace hayward::core

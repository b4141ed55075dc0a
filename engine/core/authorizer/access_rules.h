// What Kafka's StandardAuthorizer decides by: super users, the ACLs, and what holds where there are none. It
// fails closed: until the ACLs are known nobody but a super user may do anything.
// Owner: whoever holds it; a copy that is handed out is not changed any more. Any shard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/authorizer/acl_index.h"
#include "engine/core/types.h"

namespace hayward::core {

// From server.properties.
struct AuthorizerConfig {
  bool enabled = false;                          // authorizer.class.name: StandardAuthorizer, or none
  std::vector<std::string> super_users;          // super.users: "Type:name"
  bool allow_everyone_if_no_acl_found = false;   // allow.everyone.if.no.acl.found
};

enum class Decision : std::uint8_t {
  allowed,
  denied,
  not_ready,  // the ACLs are not known yet
};

// An address as Java's getHostAddress() writes it, which is what ACLs hold: 10.1.2.3, 0:0:0:0:0:0:0:1. An
// IPv4 address inside IPv6 is IPv4.
std::string to_host_text(const ClientAddress& address);

// Who asks: principal type and name, and where from.
Requester requester(std::string_view principal_type, std::string_view principal_name, const ClientAddress& address);

class AccessRules {
 public:
  explicit AccessRules(AuthorizerConfig config);

  bool enabled() const { return config_.enabled; }
  bool ready() const { return ready_; }
  // The ACLs are those of the committed metadata from now on; or (false) not known any more.
  void set_ready(bool ready) { ready_ = ready; }

  void add(const Acl& acl) { acls_.add(acl); }
  void remove(const Acl& acl) { acls_.remove(acl); }

  Decision decide(const Requester& who, AclOperation operation, ResourceType type, std::string_view name) const;
  // Whether every question gets this answer, whatever the ACLs: no authorizer, or a super user.
  bool always_allowed(const Requester& who) const;

  // Rules that decide about the cluster as these do, and know of nothing else.
  AccessRules cluster_only() const;

 private:
  AuthorizerConfig config_;  // super users in ascending order
  bool ready_ = false;
  AclIndex acls_;
};

}  // namespace hayward::core

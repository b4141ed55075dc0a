// Kafka's numbers for what ACLs speak of, as they stand on the wire and in records. Stored ACLs keep the raw
// number: a log may hold codes that this version has no name for.
// Owner: engine/core/authorizer. Any shard.
#pragma once

#include <cstdint>
#include <string_view>

namespace hayward::core {

enum class AclOperation : std::int8_t {
  unknown = 0,
  any = 1,
  all = 2,
  read = 3,
  write = 4,
  create = 5,
  remove = 6,
  alter = 7,
  describe = 8,
  cluster_action = 9,
  describe_configs = 10,
  alter_configs = 11,
  idempotent_write = 12,
  create_tokens = 13,
  describe_tokens = 14,
  two_phase_commit = 15,
};

enum class ResourceType : std::int8_t {
  unknown = 0,
  any = 1,
  topic = 2,
  group = 3,
  cluster = 4,
  transactional_id = 5,
  delegation_token = 6,
  user = 7,
};

enum class PatternType : std::int8_t { unknown = 0, any = 1, match = 2, literal = 3, prefixed = 4 };

enum class AclPermission : std::int8_t { unknown = 0, any = 1, deny = 2, allow = 3 };

inline constexpr std::string_view cluster_resource_name = "kafka-cluster";
// As a literal resource name: every resource of its type. As a host: every host.
inline constexpr std::string_view acl_wildcard = "*";

}  // namespace hayward::core

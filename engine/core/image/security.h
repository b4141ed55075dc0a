// ACLs, SCRAM credentials and delegation tokens as records have set them.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/uuid.h"

namespace hayward::core {

// The small numbers are Kafka's: ResourceType, PatternType, AclOperation, AclPermissionType.
struct Acl {
  std::int8_t resource_type = 0;
  std::string resource_name;
  std::int8_t pattern_type = 0;
  std::string principal;
  std::string host;
  std::int8_t operation = 0;
  std::int8_t permission_type = 0;
  friend auto operator<=>(const Acl&, const Acl&) = default;
};

class Acls {
 public:
  // Ascending by id.
  const std::map<Uuid, Acl>& all() const { return by_id_; }
  const Acl* find(Uuid id) const;
  // Whether the very same entry is stored, under any id.
  bool contains(const Acl& acl) const;

  // By value: resource type, then name, then the rest.
  using Entry = std::pair<Acl, Uuid>;
  using Range = std::ranges::subrange<std::set<Entry>::const_iterator>;
  Range of_type(std::int8_t resource_type) const;
  Range of_resource(std::int8_t resource_type, std::string_view name) const;
  // Those of stored ACLs, ascending.
  std::vector<std::int8_t> resource_types() const;

  void exchange(Uuid id, std::optional<Acl>& other);

 private:
  std::map<Uuid, Acl> by_id_;
  std::set<Entry> by_value_;
};

struct ScramKey {
  std::string user;
  std::int8_t mechanism = 0;  // 1 SCRAM-SHA-256, 2 SCRAM-SHA-512
  friend auto operator<=>(const ScramKey&, const ScramKey&) = default;
};

struct ScramCredential {
  Buffer salt;
  Buffer stored_key;
  Buffer server_key;
  std::int32_t iterations = 0;
  friend bool operator==(const ScramCredential&, const ScramCredential&) = default;
};

class Scram {
 public:
  // Ascending by user, then mechanism.
  const std::map<ScramKey, ScramCredential>& all() const { return credentials_; }
  const ScramCredential* find(std::string_view user, std::int8_t mechanism) const;

  void exchange(const ScramKey& key, std::optional<ScramCredential>& other);

 private:
  std::map<ScramKey, ScramCredential> credentials_;
};

// Principals are "Type:name". Times in ms since the epoch.
struct DelegationToken {
  std::string token_id;
  std::string owner;
  std::string requester;
  std::vector<std::string> renewers;
  std::int64_t issue_timestamp_ms = 0;
  std::int64_t max_timestamp_ms = 0;
  std::int64_t expiration_timestamp_ms = 0;
  friend bool operator==(const DelegationToken&, const DelegationToken&) = default;
};

class DelegationTokens {
 public:
  // Ascending by token id.
  const std::map<std::string, DelegationToken, std::less<>>& all() const { return tokens_; }
  const DelegationToken* find(std::string_view token_id) const;

  void exchange(const std::string& token_id, std::optional<DelegationToken>& other);

 private:
  std::map<std::string, DelegationToken, std::less<>> tokens_;
};

}  // namespace hayward::core

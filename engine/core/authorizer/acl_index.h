// ACLs in the order in which they are asked for: by resource type, then by pattern, then by principal. The cost
// of a question follows the patterns that match and the principal's own entries in them, not the ACLs there are.
// Owner: whoever holds it. Any shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/authorizer/acl_codes.h"
#include "engine/core/image/security.h"

namespace hayward::core {

// Who asks, in the words of ACLs.
struct Requester {
  std::string principal;  // "User:alice"
  std::string host;       // as Java writes an address
  bool has_acls = true;   // false: no ACL can name this principal (its type holds a ':'), but for User:*
};

class AclIndex {
 public:
  enum class Verdict : std::uint8_t {
    no_acls,   // no ACL at all for the resource
    no_match,  // there are, but none is about this requester and operation
    allowed,
    denied,
  };

  void add(const Acl& acl);
  // `acl` has been added.
  void remove(const Acl& acl);

  // A DENY that matches outweighs every ALLOW. READ, WRITE, DELETE and ALTER, when allowed, allow DESCRIBE too;
  // ALTER_CONFIGS allows DESCRIBE_CONFIGS.
  Verdict judge(const Requester& who, AclOperation operation, ResourceType type, std::string_view name) const;

  // The ACLs that matter for this resource, in an index of their own.
  AclIndex only(ResourceType type, std::string_view name) const;

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::string principal;
    std::string host;
    std::int8_t operation = 0;
    std::int8_t permission = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  struct ByPrincipal {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const { return a < b; }
    bool operator()(const Entry& a, std::string_view b) const { return a.principal < b; }
    bool operator()(std::string_view a, const Entry& b) const { return a < b.principal; }
  };
  // The same entry may be there under several ids.
  using Entries = std::multiset<Entry, ByPrincipal>;
  using ByName = std::map<std::string, Entries, std::less<>>;
  struct Section {
    ByName literal;
    ByName prefixed;
  };
  struct Match {
    const std::string* name;
    const Entries* entries;
    PatternType pattern;
  };

  static Entry entry_of(const Acl& acl);
  ByName* names_of(const Acl& acl);
  std::vector<Match> matches(ResourceType type, std::string_view name) const;
  static Verdict judge(const Entries& entries, const Requester& who, AclOperation operation);

  std::map<std::int8_t, Section> sections_;  // by resource type
  std::size_t size_ = 0;
};

}  // namespace hayward::core

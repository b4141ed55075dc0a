// The authorizer's decisions against a model that looks at every ACL in turn, with ACLs drawn at random; and the
// cases that are easily got wrong, by name.
#include "engine/core/authorizer/acl_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/authorizer/access_rules.h"

namespace hayward::core {
namespace {

constexpr auto topic = ResourceType::topic;

Acl acl(std::string principal, AclOperation operation, AclPermission permission, std::string name,
        PatternType pattern = PatternType::literal, ResourceType type = topic, std::string host = "*") {
  return {static_cast<std::int8_t>(type),    std::move(name),
          static_cast<std::int8_t>(pattern), std::move(principal),
          std::move(host),                   static_cast<std::int8_t>(operation),
          static_cast<std::int8_t>(permission)};
}
Acl allow(AclOperation operation, std::string name, PatternType pattern = PatternType::literal) {
  return acl("User:a", operation, AclPermission::allow, std::move(name), pattern);
}
Acl deny(AclOperation operation, std::string name, PatternType pattern = PatternType::literal) {
  return acl("User:a", operation, AclPermission::deny, std::move(name), pattern);
}

const Requester alice{"User:a", "10.0.0.1", true};

AclIndex::Verdict verdict(const std::vector<Acl>& acls, AclOperation operation, std::string_view name,
                          const Requester& who = alice) {
  AclIndex index;
  for (const Acl& one : acls) index.add(one);
  return index.judge(who, operation, topic, name);
}

using V = AclIndex::Verdict;

TEST(AclIndex, Patterns) {
  EXPECT_EQ(verdict({}, AclOperation::read, "foo"), V::no_acls);
  EXPECT_EQ(verdict({allow(AclOperation::read, "foo")}, AclOperation::read, "foo"), V::allowed);
  EXPECT_EQ(verdict({allow(AclOperation::read, "foo")}, AclOperation::read, "foobar"), V::no_acls);
  EXPECT_EQ(verdict({allow(AclOperation::read, "foo", PatternType::prefixed)}, AclOperation::read, "foobar"), V::allowed);
  EXPECT_EQ(verdict({allow(AclOperation::read, "foo", PatternType::prefixed)}, AclOperation::read, "fo"), V::no_acls);
  EXPECT_EQ(verdict({allow(AclOperation::read, "*")}, AclOperation::read, "anything"), V::allowed);
  EXPECT_EQ(verdict({allow(AclOperation::read, "*", PatternType::prefixed)}, AclOperation::read, "anything"), V::no_acls);
  EXPECT_EQ(verdict({allow(AclOperation::read, "*", PatternType::prefixed)}, AclOperation::read, "*x"), V::allowed);
  EXPECT_EQ(verdict({allow(AclOperation::write, "foo")}, AclOperation::read, "foo"), V::no_match);
}

// cases.md 43: entries that sort between a name and its prefix hide neither.
TEST(AclIndex, ADenyOnTheNameAndAnAllowOnAPrefixBothCount) {
  const std::vector<Acl> acls = {allow(AclOperation::read, "f", PatternType::prefixed),
                                 allow(AclOperation::read, "fa", PatternType::prefixed),
                                 allow(AclOperation::read, "fb", PatternType::prefixed),
                                 allow(AclOperation::read, "fob"), deny(AclOperation::read, "foo")};
  EXPECT_EQ(verdict(acls, AclOperation::read, "foo"), V::denied);
  EXPECT_EQ(verdict(acls, AclOperation::read, "fooz"), V::allowed);
  EXPECT_EQ(verdict({deny(AclOperation::read, "f", PatternType::prefixed), allow(AclOperation::read, "foo")},
                    AclOperation::read, "foo"),
            V::denied);
  EXPECT_EQ(verdict({deny(AclOperation::read, "*"), allow(AclOperation::all, "foo")}, AclOperation::read, "foo"),
            V::denied);
}

TEST(AclIndex, OperationsThatImplyOthers) {
  for (const auto operation : {AclOperation::read, AclOperation::write, AclOperation::remove, AclOperation::alter}) {
    EXPECT_EQ(verdict({allow(operation, "t")}, AclOperation::describe, "t"), V::allowed);
    EXPECT_EQ(verdict({deny(operation, "t")}, AclOperation::describe, "t"), V::no_match) << "only what is allowed implies";
  }
  EXPECT_EQ(verdict({allow(AclOperation::create, "t")}, AclOperation::describe, "t"), V::no_match);
  EXPECT_EQ(verdict({allow(AclOperation::alter_configs, "t")}, AclOperation::describe_configs, "t"), V::allowed);
  EXPECT_EQ(verdict({allow(AclOperation::alter, "t")}, AclOperation::describe_configs, "t"), V::no_match);
  EXPECT_EQ(verdict({allow(AclOperation::all, "t")}, AclOperation::alter_configs, "t"), V::allowed);
  EXPECT_EQ(verdict({deny(AclOperation::all, "t"), allow(AclOperation::all, "t")}, AclOperation::read, "t"), V::denied);
}

TEST(AclIndex, PrincipalsAndHosts) {
  const auto from = [](std::string principal, std::string host, const Requester& who) {
    return verdict({acl(std::move(principal), AclOperation::read, AclPermission::allow, "t", PatternType::literal, topic,
                        std::move(host))},
                   AclOperation::read, "t", who);
  };
  EXPECT_EQ(from("User:a", "10.0.0.1", alice), V::allowed);
  EXPECT_EQ(from("User:a", "10.0.0.2", alice), V::no_match);
  EXPECT_EQ(from("User:*", "*", alice), V::allowed);
  EXPECT_EQ(from("Group:*", "*", alice), V::no_match);
  EXPECT_EQ(from("User:b", "*", alice), V::no_match);
  // The type ends at the first ':' of an ACL's principal: no other cut of the same text is this one.
  EXPECT_EQ(from("A:b:c", "*", requester("A", "b:c", {})), V::allowed);
  EXPECT_EQ(from("A:b:c", "*", requester("A:b", "c", {})), V::no_match);
  EXPECT_EQ(from("User:*", "*", requester("A:b", "c", {})), V::allowed);
}

TEST(AclIndex, TheSameEntryTwiceIsRemovedTwice) {
  AclIndex index;
  index.add(allow(AclOperation::read, "t"));
  index.add(allow(AclOperation::read, "t"));
  index.remove(allow(AclOperation::read, "t"));
  EXPECT_EQ(index.judge(alice, AclOperation::read, topic, "t"), V::allowed);
  index.remove(allow(AclOperation::read, "t"));
  EXPECT_EQ(index.judge(alice, AclOperation::read, topic, "t"), V::no_acls);
  EXPECT_EQ(index.size(), 0u);
}

// --- the model

bool implied(AclOperation by, AclOperation asked) {
  if (asked == AclOperation::describe)
    return by == AclOperation::read || by == AclOperation::write || by == AclOperation::remove || by == AclOperation::alter;
  return asked == AclOperation::describe_configs && by == AclOperation::alter_configs;
}

V model(const std::vector<Acl>& acls, const Requester& who, AclOperation asked, ResourceType type, const std::string& name) {
  bool any = false, allowed = false, denied = false;
  for (const Acl& one : acls) {
    if (one.resource_type != static_cast<std::int8_t>(type)) continue;
    const bool literal = one.pattern_type == static_cast<std::int8_t>(PatternType::literal);
    if (literal ? one.resource_name != name && one.resource_name != "*" : !name.starts_with(one.resource_name)) continue;
    any = true;
    if (one.principal != who.principal && one.principal != "User:*") continue;
    if (one.host != "*" && one.host != who.host) continue;
    const bool is_allow = one.permission_type == static_cast<std::int8_t>(AclPermission::allow);
    const auto by = static_cast<AclOperation>(one.operation);
    if (by != AclOperation::all && by != asked && !(is_allow && implied(by, asked))) continue;
    (is_allow ? allowed : denied) = true;
  }
  if (!any) return V::no_acls;
  return denied ? V::denied : allowed ? V::allowed : V::no_match;
}

class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : prng_(seed) {}

  Acl one_acl() {
    return acl(one_of({"User:a", "User:b", "User:*", "Group:a"}), operation(),
               prng_.chance(2, 3) ? AclPermission::allow : AclPermission::deny, name(),
               prng_.chance(1, 2) ? PatternType::literal : PatternType::prefixed, type(),
               one_of({"*", "*", "10.0.0.1", "10.0.0.2"}));
  }
  Requester who() { return {one_of({"User:a", "User:b", "User:c"}), one_of({"10.0.0.1", "10.0.0.2"}), true}; }
  // All operations that there are, ALL included.
  AclOperation operation() { return static_cast<AclOperation>(2 + prng_.below(14)); }
  ResourceType type() { return static_cast<ResourceType>(2 + prng_.below(3)); }
  std::string name() {
    if (prng_.chance(1, 8)) return "*";
    std::string text;
    for (std::uint64_t left = 1 + prng_.below(4); left > 0; --left) text += "ab*"[prng_.below(3)];
    return text;
  }
  std::size_t below(std::size_t bound) { return prng_.below(bound); }

 private:
  std::string one_of(std::vector<std::string> texts) { return texts[prng_.below(texts.size())]; }
  Prng prng_;
};

TEST(AclIndex, DecidesAsTheModelForAclsDrawnAtRandom) {
  std::size_t allowed = 0, denied = 0, none = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Drawn draw(seed);
    AclIndex index;
    std::vector<Acl> acls;
    for (int step = 0; step < 40; ++step) {
      if (!acls.empty() && draw.below(4) == 0) {
        const auto at = acls.begin() + static_cast<std::ptrdiff_t>(draw.below(acls.size()));
        index.remove(*at);
        acls.erase(at);
      } else {
        acls.push_back(draw.one_acl());
        index.add(acls.back());
      }
      for (int question = 0; question < 8; ++question) {
        const Requester who = draw.who();
        const AclOperation operation = draw.operation();
        const ResourceType type = draw.type();
        const std::string name = draw.name();
        const V expected = model(acls, who, operation, type, name);
        ASSERT_EQ(index.judge(who, operation, type, name), expected) << "seed " << seed << ", step " << step;
        ASSERT_EQ(index.only(type, name).judge(who, operation, type, name), expected);
        allowed += expected == V::allowed;
        denied += expected == V::denied;
        none += expected == V::no_acls;
      }
    }
  }
  EXPECT_GT(allowed, 1000u);
  EXPECT_GT(denied, 500u);
  EXPECT_GT(none, 5000u);
}

}  // namespace
}  // namespace hayward::core

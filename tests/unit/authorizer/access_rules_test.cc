// Super users, the rule for resources without ACLs, and that nothing is open before the ACLs are known.
#include "engine/core/authorizer/access_rules.h"

#include <gtest/gtest.h>

#include "engine/core/authorizer/cluster_access.h"

namespace hayward::core {
namespace {

ClientAddress ipv4(std::uint8_t last) { return {{10, 0, 0, last}, 4}; }

Acl cluster_acl(AclPermission permission, std::string host = "*") {
  return {static_cast<std::int8_t>(ResourceType::cluster),
          std::string(cluster_resource_name),
          static_cast<std::int8_t>(PatternType::literal),
          "User:ANONYMOUS",
          std::move(host),
          static_cast<std::int8_t>(AclOperation::cluster_action),
          static_cast<std::int8_t>(permission)};
}

Decision may_act(const AccessRules& rules, std::string_view name) {
  return rules.decide(requester("User", name, ipv4(1)), AclOperation::cluster_action, ResourceType::cluster,
                      cluster_resource_name);
}

TEST(AccessRules, WithoutAnAuthorizerEverythingIsAllowed) {
  EXPECT_EQ(may_act(AccessRules({}), "anybody"), Decision::allowed);
}

TEST(AccessRules, FailsClosedUntilTheAclsAreKnown) {
  AccessRules rules({true, {"User:admin"}, true});
  rules.add(cluster_acl(AclPermission::allow));
  EXPECT_EQ(may_act(rules, "ANONYMOUS"), Decision::not_ready);
  EXPECT_EQ(may_act(rules, "admin"), Decision::allowed);
  rules.set_ready(true);
  EXPECT_EQ(may_act(rules, "ANONYMOUS"), Decision::allowed);
}

TEST(AccessRules, ResourcesWithoutAcls) {
  AccessRules closed({true, {}, false});
  AccessRules open({true, {}, true});
  closed.set_ready(true);
  open.set_ready(true);
  EXPECT_EQ(may_act(closed, "a"), Decision::denied);
  EXPECT_EQ(may_act(open, "a"), Decision::allowed);
  open.add(cluster_acl(AclPermission::allow));
  EXPECT_EQ(may_act(open, "a"), Decision::denied) << "an ACL for somebody closes it for everybody else";
}

TEST(AccessRules, ASuperUserIsNeverDenied) {
  AccessRules rules({true, {"User:z", "User:ANONYMOUS", "User:a"}, false});
  rules.set_ready(true);
  rules.add(cluster_acl(AclPermission::deny));
  EXPECT_EQ(may_act(rules, "ANONYMOUS"), Decision::allowed);
  EXPECT_EQ(may_act(rules, "a"), Decision::allowed);
  EXPECT_EQ(may_act(rules, "anonymous"), Decision::denied);
}

TEST(AccessRules, AddressesAreWrittenAsJavaWritesThem) {
  EXPECT_EQ(to_host_text({{192, 168, 0, 255}, 4}), "192.168.0.255");
  EXPECT_EQ(to_host_text({{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa, 0x10, 0xff}, 16}),
            "2001:db8:0:0:0:0:a:10ff");
  EXPECT_EQ(to_host_text({{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 16}), "0:0:0:0:0:0:0:1");
  EXPECT_EQ(to_host_text({{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3}, 16}), "10.1.2.3");
}

TEST(ClusterAccess, AnswersByTheLastPublishedRules) {
  ClusterAccess access;
  EXPECT_FALSE(access.allows(ipv4(1))) << "nothing has been published";
  AccessRules rules({true, {}, false});
  rules.set_ready(true);
  rules.add(cluster_acl(AclPermission::allow, "10.0.0.1"));
  access.replace(std::make_shared<const AccessRules>(rules.cluster_only()));
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(access.allows(ipv4(1)));
    EXPECT_FALSE(access.allows(ipv4(2)));
  }
  rules.remove(cluster_acl(AclPermission::allow, "10.0.0.1"));
  access.replace(std::make_shared<const AccessRules>(rules.cluster_only()));
  EXPECT_FALSE(access.allows(ipv4(1)));
  access.replace(std::make_shared<const AccessRules>(AuthorizerConfig{}));
  EXPECT_TRUE(access.allows(ipv4(2)));
}

}  // namespace
}  // namespace hayward::core

// CreateAcls, DeleteAcls, DescribeAcls: what is refused and with which code, and what stands in the log.
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster.h"
#include "engine/core/control/acl_filter.h"
#include "engine/core/control/create_acls.h"
#include "engine/core/control/delete_acls.h"
#include "engine/core/control/describe_acls.h"

namespace hayward::core {
namespace {

using Creation = messages::CreateAclsRequest::AclCreation;
using Filter = messages::DeleteAclsRequest::DeleteAclsFilter;

constexpr std::int8_t any = 1, match = 2, topic = 2, group = 3, cluster_type = 4, literal = 3, prefixed = 4, read = 3,
                      write = 4, deny = 2, allow = 3;

class AclApis : public ::testing::Test {
 protected:
  using Codes = std::vector<ErrorCode>;

  static Creation entry(std::string_view name, std::string_view principal = "User:a", std::int8_t pattern = literal) {
    return {topic, name, pattern, principal, "*", read, allow};
  }
  static Filter filter(std::optional<std::string_view> name = std::nullopt, std::int8_t pattern = any) {
    return {any, name, pattern, std::nullopt, std::nullopt, any, any};
  }
  // By code; a refusal says why.
  Codes create(const std::vector<Creation>& creations) {
    messages::CreateAclsRequest request;
    for (const Creation& creation : creations) request.creations.push_back(cluster.arena, creation);
    EXPECT_TRUE(is_readable(request));
    const auto response = cluster.run(
        [&](const HandlerContext& context, RecordList& records) { return create_acls(context, request, records); });
    Codes codes;
    for (const auto& result : response.results) {
      codes.push_back(result.error_code);
      const bool says_why = !result.error_message.value_or("").empty();
      EXPECT_EQ(says_why, result.error_code != ErrorCode::none && result.error_code != ErrorCode::unknown_server_error);
    }
    EXPECT_TRUE(cluster.atomic || cluster.lines.empty());
    return codes;
  }
  messages::DeleteAclsResponse remove(const std::vector<Filter>& filters) {
    messages::DeleteAclsRequest request;
    for (const Filter& wanted : filters) request.filters.push_back(cluster.arena, wanted);
    EXPECT_TRUE(is_readable(request));
    // The names that a result shows are views of the image: kept before the records are replayed.
    removed.clear();
    return cluster.run([&](const HandlerContext& context, RecordList& records) {
      const auto response = delete_acls(context, request, records);
      for (const auto& result : response.filter_results) {
        Lines names;
        for (const auto& acl : result.matching_acls) names.emplace_back(acl.resource_name);
        removed.push_back(names);
      }
      return response;
    });
  }
  // What the authorizer goes by, by resource: "t 2/3: User:a *3/3".
  Lines described(const Filter& wanted) {
    messages::DescribeAclsRequest request;
    request.resource_type_filter = wanted.resource_type_filter;
    request.resource_name_filter = wanted.resource_name_filter;
    request.pattern_type_filter = wanted.pattern_type_filter;
    request.principal_filter = wanted.principal_filter;
    request.host_filter = wanted.host_filter;
    request.operation = wanted.operation;
    request.permission_type = wanted.permission_type;
    const auto response = cluster.run(
        [&](const HandlerContext& context, RecordList&) { return describe_acls(context, request); });
    EXPECT_EQ(response.error_code, ErrorCode::none);
    Lines lines;
    for (const auto& resource : response.resources) {
      std::string line(resource.resource_name);
      for (const auto& acl : resource.acls) line.append(" ").append(acl.principal);
      lines.push_back(line);
    }
    return lines;
  }
  void commit() {
    cluster.image.set_committed(cluster.image.last_offset());
    cluster.authorizer.catch_up(cluster.image.take_committed_acls());
  }

  TestCluster cluster;
  std::vector<Lines> removed;
};

TEST_F(AclApis, AnEntryIsWrittenOnceHoweverOftenItIsAskedFor) {  // cases.md row 43
  EXPECT_EQ(create({entry("t"), entry("t"), entry("t", "User:b")}), Codes(3, ErrorCode::none));
  EXPECT_EQ(cluster.lines, (Lines{"Acl t User:a 2/3/3/3", "Acl t User:b 2/3/3/3"}));
  EXPECT_EQ(create({entry("t")}), Codes{ErrorCode::none});
  EXPECT_TRUE(cluster.lines.empty()) << "cases.md row 43";
}

TEST_F(AclApis, WhatCannotBeStoredIsRefusedAloneAndTheRestIsMade) {
  Creation other_cluster = entry("another");
  other_cluster.resource_type = cluster_type;
  Creation unknown_type = entry("t");
  unknown_type.resource_type = 8;
  Creation unknown_pattern = entry("t", "User:a", 5);
  Creation unknown_operation = entry("t");
  unknown_operation.operation = 16;
  Creation negative_permission = entry("t");
  negative_permission.permission_type = -1;
  const Codes codes = create({entry(""), other_cluster, unknown_type, unknown_pattern, unknown_operation,
                              negative_permission, entry("t", "nobody"), entry("good")});
  Codes expected(7, ErrorCode::invalid_request);
  expected.push_back(ErrorCode::none);
  EXPECT_EQ(codes, expected);
  EXPECT_EQ(cluster.lines, Lines{"Acl good User:a 2/3/3/3"});
}

TEST_F(AclApis, TheClustersOneName) {
  Creation creation = entry("kafka-cluster");
  creation.resource_type = cluster_type;
  EXPECT_EQ(create({creation}), Codes{ErrorCode::none});
}

TEST_F(AclApis, CodesForFiltersFailTheWholeRequest) {
  for (int field = 0; field < 5; ++field) {
    Creation creation = entry("t");
    if (field == 0) creation.resource_type = any;
    if (field == 1) creation.resource_pattern_type = any;
    if (field == 2) creation.resource_pattern_type = match;
    if (field == 3) creation.operation = any;
    if (field == 4) creation.permission_type = any;
    EXPECT_EQ(create({entry("good"), creation}), Codes(2, ErrorCode::unknown_server_error));
    EXPECT_TRUE(cluster.lines.empty());
  }
}

TEST_F(AclApis, ACodeOfZeroCannotBeRead) {
  for (int field = 0; field < 4; ++field) {
    messages::CreateAclsRequest creations;
    messages::DeleteAclsRequest deletions;
    auto& creation = creations.creations.push_back(cluster.arena, entry("t"));
    auto& wanted = deletions.filters.push_back(cluster.arena, filter());
    if (field == 0) creation.resource_type = wanted.resource_type_filter = 0;
    if (field == 1) creation.resource_pattern_type = wanted.pattern_type_filter = 0;
    if (field == 2) creation.operation = wanted.operation = 0;
    if (field == 3) creation.permission_type = wanted.permission_type = 0;
    EXPECT_FALSE(is_readable(creations));
    EXPECT_FALSE(is_readable(deletions));
  }
}

TEST_F(AclApis, MoreThanTenThousandAreRefusedWholeButForThoseThatWereFaultyAnyway) {
  std::vector<std::string> names;
  std::vector<Creation> creations;
  for (int i = 0; i <= 10'000; ++i) names.push_back("t" + std::to_string(i));
  for (const std::string& name : names) creations.push_back(entry(name));
  creations.push_back(entry(""));
  const Codes codes = create(creations);
  ASSERT_EQ(codes.size(), 10'002u);
  EXPECT_EQ(codes.front(), ErrorCode::policy_violation);
  EXPECT_EQ(codes[10'000], ErrorCode::policy_violation);
  EXPECT_EQ(codes.back(), ErrorCode::invalid_request);
  EXPECT_TRUE(cluster.lines.empty());
  creations.resize(10'000);
  EXPECT_EQ(create(creations), Codes(10'000, ErrorCode::none));
}

TEST_F(AclApis, Row35_MoreThanTenThousandMatchesRemoveNothing) {  // cases.md row 35
  std::vector<std::string> names;
  for (int i = 0; i < 12'000; ++i) names.push_back("t" + std::to_string(i));
  for (std::size_t from = 0; from < names.size(); from += 6000) {
    std::vector<Creation> creations;
    for (std::size_t i = from; i < from + 6000; ++i) creations.push_back(entry(names[i]));
    create(creations);
  }
  const auto response = remove({filter("t1"), filter(), filter("t2"), filter("t3")});
  ASSERT_EQ(response.filter_results.size(), 4u);
  for (const auto& result : response.filter_results) {
    EXPECT_EQ(result.error_code, ErrorCode::invalid_request);
    EXPECT_TRUE(result.error_message.has_value());
    EXPECT_TRUE(result.matching_acls.empty());
  }
  EXPECT_TRUE(cluster.lines.empty());
  EXPECT_EQ(cluster.image.acls().all().size(), 12'000u);
}

TEST_F(AclApis, Row43_WhatSeveralFiltersMatchIsRemovedOnce) {  // cases.md row 43
  create({entry("t"), entry("u")});
  const auto response = remove({filter("t"), filter(), filter("absent")});
  EXPECT_EQ(removed[0], Lines{"t"});
  EXPECT_EQ(removed[1].size(), 2u);
  EXPECT_TRUE(removed[2].empty());
  for (const auto& result : response.filter_results) {
    EXPECT_EQ(result.error_code, ErrorCode::none);
    EXPECT_FALSE(result.error_message.has_value());
  }
  EXPECT_EQ(cluster.lines.size(), 2u);
  EXPECT_TRUE(cluster.image.acls().all().empty());
}

TEST_F(AclApis, AFilterWithAnUnknownCodeFailsAlone) {
  create({entry("t")});
  Filter unknown = filter();
  unknown.operation = 99;
  const auto response = remove({unknown, filter("t")});
  EXPECT_EQ(response.filter_results[0].error_code, ErrorCode::invalid_request);
  EXPECT_EQ(response.filter_results[1].error_code, ErrorCode::none);
  EXPECT_EQ(cluster.lines, Lines{"RemoveAcl t"});
}

TEST_F(AclApis, EachFieldOfAFilterNarrows) {
  create({entry("t"), entry("t", "User:b"), {group, "t", literal, "User:a", "*", read, allow},
          {topic, "t", literal, "User:a", "h", read, allow}, {topic, "t", literal, "User:a", "*", write, allow},
          {topic, "t", literal, "User:a", "*", read, deny}, entry("t", "User:a", prefixed)});
  commit();
  const auto count = [&](auto&& narrow) {
    Filter wanted = filter("t");
    narrow(wanted);
    messages::DeleteAclsRequest request;
    request.filters.push_back(cluster.arena, wanted);
    std::size_t matches = 0;
    cluster.run([&](const HandlerContext& context, RecordList& records) {
      matches = delete_acls(context, request, records).filter_results[0].matching_acls.size();
      records.truncate(0);
      return 0;
    });
    return matches;
  };
  EXPECT_EQ(count([](Filter&) {}), 7u);
  EXPECT_EQ(count([](Filter& f) { f.principal_filter = "User:b"; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.resource_type_filter = group; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.host_filter = "h"; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.operation = write; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.permission_type = deny; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.pattern_type_filter = prefixed; }), 1u);
  EXPECT_EQ(count([](Filter& f) { f.resource_name_filter = "x"; }), 0u);
}

TEST_F(AclApis, MatchFindsWhatWouldApplyToAResourceOfThatName) {
  create({entry("foo"), entry("*"), entry("fo", "User:a", prefixed), entry("f", "User:a", prefixed),
          entry("bar", "User:a", prefixed), entry("fo"), entry("*", "User:a", prefixed)});
  remove({filter("foo", match)});
  ASSERT_EQ(removed.size(), 1u);
  std::ranges::sort(removed[0]);
  EXPECT_EQ(removed[0], (Lines{"*", "f", "fo", "foo"}));
}

// The look-up finds what a walk over all would, each once.
TEST_F(AclApis, ALookUpFindsWhatAWalkWould) {
  Prng prng(5);
  const std::vector<std::string> names{"a", "ab", "abc", "b", "*", "**", "abcd", "", std::string(300, 'a'), "a*"};
  const auto any_name = [&] { return names[prng.below(names.size())]; };
  std::vector<Creation> creations;
  for (int i = 0; i < 300; ++i) {
    const auto type = static_cast<std::int8_t>(2 + prng.below(4));
    const auto pattern = static_cast<std::int8_t>(3 + prng.below(2));
    creations.push_back({type, cluster.arena.copy(any_name()), pattern, prng.chance(1, 2) ? "User:a" : "User:b", "*",
                         static_cast<std::int8_t>(3 + prng.below(3)), allow});
  }
  create(creations);
  const core::Acls& acls = cluster.image.acls();
  for (int i = 0; i < 3000; ++i) {
    const std::string name = any_name() + (prng.chance(1, 3) ? "bcd" : "");
    AclFilter wanted{static_cast<std::int8_t>(1 + prng.below(6)), name, static_cast<std::int8_t>(1 + prng.below(4)),
                     std::nullopt, std::nullopt, static_cast<std::int8_t>(1 + 2 * prng.below(3)), any};
    if (prng.chance(1, 4)) wanted.resource_name = std::nullopt;
    if (prng.chance(1, 2)) wanted.principal = "User:a";
    std::vector<Uuid> walked, looked_up;
    for (const auto& [id, acl] : acls.all()) {
      if (wanted.matches(acl)) walked.push_back(id);
    }
    for_each_match(acls, wanted, [&](const Uuid& id, const Acl&) {
      looked_up.push_back(id);
      return true;
    });
    std::ranges::sort(looked_up);
    ASSERT_EQ(looked_up, walked) << name << " pattern " << int{wanted.pattern_type};
  }
}

TEST_F(AclApis, DescribeTellsOfWhatIsCommitted) {
  cluster.authorizer = Authorizer({true, {}, false});
  create({entry("b"), entry("a"), entry("a", "User:b")});
  EXPECT_TRUE(described(filter()).empty()) << "not committed";
  commit();
  EXPECT_EQ(described(filter()), (Lines{"a User:a User:b", "b User:a"}));
  EXPECT_EQ(described(filter("b")), Lines{"b User:a"});
  Filter unknown = filter();
  unknown.resource_type_filter = 55;
  EXPECT_TRUE(described(unknown).empty());
}

TEST_F(AclApis, WithoutAnAuthorizerNothingIsDescribed) {
  const auto response = cluster.run(
      [&](const HandlerContext& context, RecordList&) { return describe_acls(context, {}); });
  EXPECT_EQ(response.error_code, ErrorCode::security_disabled);
  EXPECT_TRUE(response.error_message.has_value());
}

}  // namespace
}  // namespace hayward::core

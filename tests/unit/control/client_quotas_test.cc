// AlterClientQuotas: entities, keys and values, and what is written for them.
#include <gtest/gtest.h>

#include <limits>

#include "cluster.h"
#include "engine/core/control/alter_client_quotas.h"

namespace hayward::core {
namespace {

using Request = messages::AlterClientQuotasRequest;
using Response = messages::AlterClientQuotasResponse;
using Entity = std::vector<Request::EntityData>;
using Ops = std::vector<Request::OpData>;

constexpr std::string_view rate = "producer_byte_rate";

class AlterClientQuotas : public ::testing::Test {
 protected:
  void add(const Entity& entity, const Ops& ops) {
    auto& entry = request.entries.push_back(cluster.arena);
    for (const auto& part : entity) entry.entity.push_back(cluster.arena, part);
    for (const auto& op : ops) entry.ops.push_back(cluster.arena, op);
  }
  std::vector<ErrorCode> alter() {
    response = cluster.run([&](const HandlerContext& context, RecordList& records) {
      return alter_client_quotas(context, request, records);
    });
    request.entries = {};
    std::vector<ErrorCode> codes;
    for (const auto& entry : response.entries) {
      codes.push_back(entry.error_code);
      EXPECT_EQ(entry.error_message.has_value(), entry.error_code != ErrorCode::none);
    }
    EXPECT_TRUE(cluster.atomic);
    return codes;
  }
  ErrorCode alter(const Entity& entity, const Ops& ops) {
    add(entity, ops);
    const auto codes = alter();
    EXPECT_EQ(codes.size(), 1u);
    EXPECT_TRUE(codes[0] == ErrorCode::none || cluster.lines.empty()) << "a refusal writes nothing";
    return codes[0];
  }

  TestCluster cluster;
  Request request;
  Response response;
};

TEST_F(AlterClientQuotas, SetChangedRemovedAndTheSameAgain) {
  EXPECT_EQ(alter({{"user", "alice"}}, {{rate, 1024}}), ErrorCode::none);
  EXPECT_EQ(cluster.lines, Lines{"Quota user=alice producer_byte_rate=1024.000000"});
  EXPECT_EQ(alter({{"user", "alice"}}, {{rate, 1024}}), ErrorCode::none);
  EXPECT_TRUE(cluster.lines.empty()) << "nothing changed";
  EXPECT_EQ(alter({{"user", "alice"}}, {{rate, 0, true}, {"consumer_byte_rate", 5}}), ErrorCode::none);
  EXPECT_EQ(cluster.lines, (Lines{"Quota user=alice consumer_byte_rate=5.000000",
                                  "Quota user=alice producer_byte_rate removed"}));
  EXPECT_EQ(alter({{"user", "alice"}}, {{rate, 0, true}}), ErrorCode::none);
  EXPECT_TRUE(cluster.lines.empty()) << "it was not there";
}

TEST_F(AlterClientQuotas, DefaultsAndBothParts) {
  EXPECT_EQ(alter({{"user", std::nullopt}, {"client-id", "c"}}, {{"request_percentage", 12.5}}), ErrorCode::none);
  EXPECT_EQ(cluster.lines, Lines{"Quota client-id=c user=<default> request_percentage=12.500000"});
  ASSERT_EQ(response.entries[0].entity.size(), 2u);
  EXPECT_EQ(response.entries[0].entity[1].entity_type, "user");
  EXPECT_FALSE(response.entries[0].entity[1].entity_name.has_value());
  EXPECT_EQ(cluster.image.client_quotas().of({{"user", std::nullopt}, {"client-id", "c"}}).at("request_percentage"), 12.5);
}

TEST_F(AlterClientQuotas, WhatIsNoEntity) {
  for (const Entity& entity : {Entity{}, Entity{{"group", "g"}}, Entity{{"user", ""}}, Entity{{"ip", "1.2.3.4"}, {"user", "u"}},
                               Entity{{"ip", "some.host"}}, Entity{{"ip", "1.2.3"}}}) {
    EXPECT_EQ(alter(entity, {{rate, 5}}), ErrorCode::invalid_request);
  }
}

TEST_F(AlterClientQuotas, AnAddressHasItsOwnQuotaAndNoOther) {
  for (const auto& ip : {std::optional<std::string_view>("10.0.0.1"), std::optional<std::string_view>("::1"),
                         std::optional<std::string_view>("localhost"), std::optional<std::string_view>()}) {
    EXPECT_EQ(alter({{"ip", ip}}, {{"connection_creation_rate", 7}}), ErrorCode::none);
    EXPECT_EQ(cluster.lines.size(), 1u);
  }
  EXPECT_EQ(alter({{"ip", "10.0.0.1"}}, {{rate, 7}}), ErrorCode::invalid_request);
  EXPECT_EQ(alter({{"user", "u"}}, {{"connection_creation_rate", 7}}), ErrorCode::invalid_request);
}

TEST_F(AlterClientQuotas, ValuesOutOfTheirRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1.0, 1.5, 1e19, -infinity, infinity}) {
    EXPECT_EQ(alter({{"user", "u"}}, {{rate, value}}), ErrorCode::invalid_request) << value;
  }
  EXPECT_EQ(alter({{"ip", "1.1.1.1"}}, {{"connection_creation_rate", 2147483648.0}}), ErrorCode::invalid_request);
  EXPECT_EQ(alter({{"ip", "1.1.1.1"}}, {{"connection_creation_rate", 2147483647.0}}), ErrorCode::none);
  EXPECT_EQ(alter({{"user", "u"}}, {{"controller_mutation_rate", 0.001}}), ErrorCode::none);
  EXPECT_EQ(alter({{"user", "u"}}, {{"unknown", 1}}), ErrorCode::invalid_request);
  EXPECT_EQ(alter({{"user", "u"}}, {{"unknown", 0, true}}), ErrorCode::none) << "a removal may name anything";
}

TEST_F(AlterClientQuotas, OneFaultyOpRefusesItsEntryAlone) {
  add({{"user", "a"}}, {{rate, 5}, {"consumer_byte_rate", -1}});
  add({{"user", "b"}}, {{rate, 5}});
  EXPECT_EQ(alter(), (std::vector{ErrorCode::invalid_request, ErrorCode::none}));
  EXPECT_EQ(cluster.lines, Lines{"Quota user=b producer_byte_rate=5.000000"});
}

TEST_F(AlterClientQuotas, AKeyOrAnEntityTwice) {
  EXPECT_EQ(alter({{"user", "a"}}, {{rate, 5}, {rate, 6}}), ErrorCode::invalid_request);
  add({{"user", "a"}}, {{rate, 5}});
  add({{"user", "a"}}, {{rate, 6}});
  EXPECT_EQ(alter(), std::vector{ErrorCode::invalid_request}) << "one answer for the entity";
  EXPECT_EQ(cluster.lines, Lines{"Quota user=a producer_byte_rate=5.000000"}) << "the first stands, as with Kafka";
}

TEST_F(AlterClientQuotas, ValidateOnlyWritesNothing) {
  request.validate_only = true;
  EXPECT_EQ(alter({{"user", "a"}}, {{rate, 5}}), ErrorCode::none);
  EXPECT_TRUE(cluster.lines.empty());
}

}  // namespace
}  // namespace hayward::core

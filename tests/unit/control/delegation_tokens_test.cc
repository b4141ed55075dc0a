// Delegation tokens: their HMAC, who may have and renew them, and when they end.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cluster.h"
#include "engine/base/hmac.h"
#include "engine/core/control/alter_delegation_token.h"
#include "engine/core/control/create_delegation_token.h"
#include "engine/core/control/delegation_tokens.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr std::int64_t now_ms = 1'700'000'000'000;
constexpr std::int64_t end_of_time_ms = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t day_ms = 86'400'000;

struct Token {
  std::string id;
  Buffer hmac;
  std::int64_t expiry_ms = 0;
  std::int64_t max_ms = 0;
};

class Tokens : public ::testing::Test {
 protected:
  Tokens() {
    cluster.config.delegation_token_secret_key = "secret";
    cluster.request.now.wall_ms = now_ms;
    become("alice");
  }
  void become(std::string_view name) {
    cluster.request.forwarded = true;
    cluster.request.principal = {"User", std::string(name)};
  }
  void pass_ms(std::int64_t ms) { cluster.request.now.wall_ms += ms; }

  CreateDelegationTokenRequest wanted(std::int64_t max_lifetime_ms = -1, const Lines& renewers = {}) {
    CreateDelegationTokenRequest request;
    request.max_lifetime_ms = max_lifetime_ms;
    for (const std::string& renewer : renewers) {
      request.renewers.push_back(cluster.arena, {"User", cluster.arena.copy(renewer)});
    }
    return request;
  }
  CreateDelegationTokenResponse ask(const CreateDelegationTokenRequest& request) {
    return cluster.run([&](const HandlerContext& context, RecordList& records) {
      return create_delegation_token(context, hmacs, request, records);
    });
  }
  Token create(std::int64_t max_lifetime_ms = -1, const Lines& renewers = {}) {
    const auto response = ask(wanted(max_lifetime_ms, renewers));
    EXPECT_EQ(response.error_code, ErrorCode::none);
    return {std::string(response.token_id), Buffer(response.hmac.begin(), response.hmac.end()),
            response.expiry_timestamp_ms, response.max_timestamp_ms};
  }
  RenewDelegationTokenResponse renew(Bytes hmac, std::int64_t period_ms = -1) {
    RenewDelegationTokenRequest request;
    request.hmac = hmac;
    request.renew_period_ms = period_ms;
    return cluster.run([&](const HandlerContext& context, RecordList& records) {
      return renew_delegation_token(context, hmacs, request, records);
    });
  }
  ExpireDelegationTokenResponse expire(Bytes hmac, std::int64_t period_ms) {
    ExpireDelegationTokenRequest request;
    request.hmac = hmac;
    request.expiry_time_period_ms = period_ms;
    return cluster.run([&](const HandlerContext& context, RecordList& records) {
      return expire_delegation_token(context, hmacs, request, records);
    });
  }
  bool sweep(std::size_t most = max_tokens_per_sweep) {
    return cluster.run([&](const HandlerContext& context, RecordList& records) {
      return sweep_expired_tokens(context, most, records);
    });
  }
  const DelegationToken* stored(const Token& token) { return cluster.image.delegation_tokens().find(token.id); }

  TestCluster cluster;
  TokenHmacs hmacs;
};

TEST_F(Tokens, TheHmacIsHmacSha512OfTheIdUnderTheSecret) {
  // RFC 4231, test case 2.
  const Buffer& known = hmacs.of("what do ya want for nothing?", "Jefe");
  ASSERT_EQ(known.size(), 64u);
  EXPECT_EQ(known[0], std::byte{0x16});
  EXPECT_EQ(known[1], std::byte{0x4b});
  EXPECT_EQ(known[63], std::byte{0x37});
  const Token token = create();
  EXPECT_EQ(token.hmac, hmac_of(Hash::sha512, as_bytes("secret"), as_bytes(token.id)));
  EXPECT_TRUE(Uuid::parse(token.id).has_value()) << token.id;
}

TEST_F(Tokens, ATokenOfOnesOwn) {
  const Token token = create(-1, {"bob", "bob"});
  EXPECT_EQ(token.expiry_ms, now_ms + day_ms);
  EXPECT_EQ(token.max_ms, now_ms + 7 * day_ms);
  EXPECT_EQ(cluster.lines, Lines{"Token of User:alice by User:alice renewer User:bob renewer User:bob issued " +
                                 std::to_string(now_ms) + " expires " + std::to_string(token.expiry_ms) + " at most " +
                                 std::to_string(token.max_ms)});
  EXPECT_TRUE(cluster.atomic);
}

TEST_F(Tokens, Row44_NoTimePassesTheEndOfTime) {  // cases.md row 44
  EXPECT_EQ(create(end_of_time_ms).max_ms, now_ms + 7 * day_ms) << "the configured maximum bounds it";
  EXPECT_EQ(create(1000).expiry_ms, now_ms + 1000) << "a lifetime shorter than the expiry bounds both";
  cluster.config.delegation_token_max_lifetime_ms = end_of_time_ms;
  cluster.config.delegation_token_expiry_time_ms = end_of_time_ms;
  const Token longest = create(end_of_time_ms);
  EXPECT_EQ(longest.max_ms, end_of_time_ms);
  EXPECT_EQ(longest.expiry_ms, end_of_time_ms);
  EXPECT_EQ(renew(longest.hmac, end_of_time_ms).expiry_timestamp_ms, end_of_time_ms);
  EXPECT_EQ(expire(longest.hmac, end_of_time_ms).expiry_timestamp_ms, end_of_time_ms);
  EXPECT_EQ(expire(longest.hmac, -1).expiry_timestamp_ms, now_ms) << "now";
  EXPECT_EQ(stored(longest), nullptr);
}

TEST_F(Tokens, WhoMayHaveOne) {
  const auto check = [&](const CreateDelegationTokenRequest& request) {
    return cluster.run(
        [&](const HandlerContext& context, RecordList&) { return check_token_request(context, request); });
  };
  CreateDelegationTokenRequest own = wanted();
  EXPECT_EQ(check(own), ErrorCode::none);
  cluster.request.principal.token_authenticated = true;
  EXPECT_EQ(check(own), ErrorCode::delegation_token_request_not_allowed);
  cluster.request.principal.token_authenticated = false;
  cluster.request.forwarded = false;
  EXPECT_EQ(check(own), ErrorCode::delegation_token_request_not_allowed) << "this listener authenticates nobody";
  cluster.request.forwarded = true;
  own.owner_principal_type = "User";
  own.owner_principal_name = "alice";
  EXPECT_EQ(check(own), ErrorCode::none) << "itself, by name";
  cluster.authorizer = Authorizer({true, {}, false});
  cluster.authorizer.catch_up({});
  own.owner_principal_name = "carol";
  EXPECT_EQ(check(own), ErrorCode::delegation_token_authorization_failed);
  const Acl right{static_cast<std::int8_t>(ResourceType::user), "User:carol", 3, "User:alice", "*",
                  static_cast<std::int8_t>(AclOperation::create_tokens), 3};
  cluster.authorizer.catch_up({{Uuid{1, 1}, right}});
  EXPECT_EQ(check(own), ErrorCode::none);
  own.owner_principal_name = "dave";
  EXPECT_EQ(check(own), ErrorCode::delegation_token_authorization_failed);
}

TEST_F(Tokens, ATokenForAnother) {
  CreateDelegationTokenRequest request = wanted();
  request.owner_principal_type = "User";
  request.owner_principal_name = "carol";
  const auto response = ask(request);
  EXPECT_EQ(response.principal_name, "carol");
  EXPECT_EQ(response.token_requester_principal_name, "alice");
  const Buffer hmac(response.hmac.begin(), response.hmac.end());
  EXPECT_EQ(renew(hmac).error_code, ErrorCode::delegation_token_owner_mismatch) << "who asked for it does not own it";
  become("carol");
  EXPECT_EQ(renew(hmac).error_code, ErrorCode::none);
}

TEST_F(Tokens, WhatIsRefusedAndWritesNothing) {
  CreateDelegationTokenRequest request = wanted();
  request.renewers.push_back(cluster.arena, {"Group", "g"});
  EXPECT_EQ(ask(request).error_code, ErrorCode::invalid_principal_type);
  request = wanted();
  request.owner_principal_type = std::nullopt;
  request.owner_principal_name = "carol";
  EXPECT_EQ(ask(request).error_code, ErrorCode::unknown_server_error);
  const Token token = create();
  cluster.config.delegation_token_secret_key = std::nullopt;
  EXPECT_EQ(ask(wanted()).error_code, ErrorCode::delegation_token_auth_disabled);
  EXPECT_EQ(renew(token.hmac).error_code, ErrorCode::delegation_token_auth_disabled);
  EXPECT_EQ(expire(token.hmac, -1).error_code, ErrorCode::delegation_token_auth_disabled);
  EXPECT_TRUE(cluster.lines.empty());
}

TEST_F(Tokens, BelowMetadataVersion14ThereAreNone) {
  TestCluster old({.metadata_version = 13});
  old.config.delegation_token_secret_key = "secret";
  old.request.forwarded = true;
  const auto response = old.run([&](const HandlerContext& context, RecordList& records) {
    return create_delegation_token(context, hmacs, wanted(), records);
  });
  EXPECT_EQ(response.error_code, ErrorCode::unsupported_version);
}

TEST_F(Tokens, RenewedByOwnerAndRenewersForAsLongAsAllowed) {
  const Token token = create(3 * day_ms, {"bob"});
  pass_ms(1000);
  EXPECT_EQ(renew(token.hmac).expiry_timestamp_ms, now_ms + 1000 + day_ms);
  EXPECT_EQ(cluster.lines.size(), 1u);
  become("bob");
  EXPECT_EQ(renew(token.hmac, 5000).expiry_timestamp_ms, now_ms + 6000);
  EXPECT_EQ(renew(token.hmac, 10 * day_ms).expiry_timestamp_ms, now_ms + 1000 + day_ms) << "the default is the longest";
  become("eve");
  EXPECT_EQ(renew(token.hmac).error_code, ErrorCode::delegation_token_owner_mismatch);
  EXPECT_EQ(expire(token.hmac, -1).error_code, ErrorCode::delegation_token_owner_mismatch);
  EXPECT_TRUE(cluster.lines.empty());
  become("alice");
  for (int day = 0; day < 2; ++day) {
    pass_ms(day_ms - 1000);
    renew(token.hmac);
  }
  pass_ms(day_ms - 1000);
  EXPECT_EQ(renew(token.hmac).expiry_timestamp_ms, token.max_ms) << "and none outlives its maximum";
}

TEST_F(Tokens, WhatHasExpiredCanOnlyBeRemoved) {
  const Token token = create(1000);
  pass_ms(1000);
  EXPECT_EQ(renew(token.hmac).error_code, ErrorCode::none) << "it expires after that moment";
  pass_ms(1);
  EXPECT_EQ(renew(token.hmac).error_code, ErrorCode::delegation_token_expired);
  EXPECT_EQ(expire(token.hmac, 5000).error_code, ErrorCode::delegation_token_expired);
  EXPECT_TRUE(cluster.lines.empty());
  EXPECT_EQ(expire(token.hmac, -1).expiry_timestamp_ms, now_ms + 1001);
  EXPECT_EQ(cluster.lines, Lines{"RemoveToken " + token.id});
  EXPECT_EQ(expire(token.hmac, -1).error_code, ErrorCode::delegation_token_not_found);
}

TEST_F(Tokens, FoundByItsHmacAndByNothingElse) {
  const Token one = create();
  const Token two = create();
  Buffer damaged = one.hmac;
  damaged[10] ^= std::byte{1};
  const Buffer cut(one.hmac.begin(), one.hmac.end() - 1);
  for (const Buffer& hmac : {damaged, cut, Buffer{}, Buffer{two.id.size(), std::byte{0}}}) {
    EXPECT_EQ(renew(hmac).error_code, ErrorCode::delegation_token_not_found);
  }
  expire(one.hmac, -1);
  hmacs = {};  // as after a failover: nothing is remembered
  EXPECT_EQ(renew(one.hmac).error_code, ErrorCode::delegation_token_not_found);
  EXPECT_EQ(renew(two.hmac).error_code, ErrorCode::none);
}

TEST_F(Tokens, ATokenThatWasNeverWrittenIsNotFoundByAHmacMadeForIt) {
  create();
  const Buffer hmac = hmacs.of("an id that no token has", "secret");
  EXPECT_EQ(renew(hmac).error_code, ErrorCode::delegation_token_not_found);
}

TEST_F(Tokens, TheSweepRemovesTheExpiredAndSaysWhetherThereAreMore) {
  for (int i = 0; i < 5; ++i) create(1000);
  const Token lasting = create();
  EXPECT_FALSE(sweep());
  EXPECT_TRUE(cluster.lines.empty()) << "none has expired";
  pass_ms(1001);
  EXPECT_TRUE(sweep(2));
  EXPECT_EQ(cluster.lines.size(), 2u);
  EXPECT_TRUE(sweep(2));
  EXPECT_FALSE(sweep(2));
  EXPECT_EQ(cluster.lines.size(), 1u);
  EXPECT_EQ(cluster.image.delegation_tokens().all().size(), 1u);
  EXPECT_NE(stored(lasting), nullptr);
  pass_ms(day_ms);
  EXPECT_FALSE(sweep());
  EXPECT_EQ(stored(lasting), nullptr);
}

}  // namespace
}  // namespace hayward::core

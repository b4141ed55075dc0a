// AlterUserScramCredentials: what is stored is checked against published exchanges (RFC 7677 section 3 for
// SCRAM-SHA-256; for SCRAM-SHA-512 the exchange that many SASL libraries test with).
#include <gtest/gtest.h>

#include <string>

#include "cluster.h"
#include "engine/base/hmac.h"
#include "engine/core/control/alter_user_scram_credentials.h"

namespace hayward::core {
namespace {

using Request = messages::AlterUserScramCredentialsRequest;
using Codes = std::vector<std::pair<std::string, ErrorCode>>;

constexpr std::int8_t sha_256 = 1, sha_512 = 2;

Buffer from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Buffer bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
  }
  return bytes;
}

Buffer exclusive_or(Buffer a, const Buffer& b) {
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

// RFC 5802's Hi(): what a client sends instead of the password.
Buffer salted_password(Hash hash, std::string_view password, Buffer salt, int iterations) {
  for (const int byte : {0, 0, 0, 1}) salt.push_back(static_cast<std::byte>(byte));
  Buffer last = hmac_of(hash, as_bytes(password), salt);
  Buffer result = last;
  for (int i = 1; i < iterations; ++i) {
    last = hmac_of(hash, as_bytes(password), last);
    result = exclusive_or(std::move(result), last);
  }
  return result;
}

class AlterScram : public ::testing::Test {
 protected:
  void set(std::string_view user, std::int8_t mechanism, std::int32_t iterations = 4096,
           Bytes salted = as_bytes("salted password")) {
    request.upsertions.push_back(cluster.arena, {user, mechanism, iterations, as_bytes("salt"), salted});
  }
  void remove(std::string_view user, std::int8_t mechanism) {
    request.deletions.push_back(cluster.arena, {user, mechanism});
  }
  Codes alter() {
    Codes codes;
    cluster.run([&](const HandlerContext& context, RecordList& records) {
      for (const auto& result : alter_user_scram_credentials(context, request, records).results) {
        codes.emplace_back(result.user, result.error_code);
      }
      return 0;
    });
    request = {};
    EXPECT_TRUE(cluster.atomic);
    return codes;
  }
  // The published client's proof is accepted by what is stored, and the server's signature comes from it.
  void check_exchange(Hash hash, std::int8_t mechanism, std::string_view server_nonce, std::string_view salt,
                      std::string_view proof, std::string_view server_signature) {
    const Buffer salted = salted_password(hash, "pencil", from_base64(salt), 4096);
    const Buffer salt_bytes = from_base64(salt);
    request.upsertions.push_back(cluster.arena, {"user", mechanism, 4096, salt_bytes, salted});
    ASSERT_EQ(alter(), (Codes{{"user", ErrorCode::none}}));
    const ScramCredential& stored = *cluster.image.scram().find("user", mechanism);
    EXPECT_EQ(stored.salt, salt_bytes);
    EXPECT_EQ(stored.iterations, 4096);
    const std::string nonce(server_nonce);
    const std::string exchange = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce + ",s=" + std::string(salt) +
                                 ",i=4096,c=biws,r=" + nonce;
    EXPECT_EQ(hmac_of(hash, stored.server_key, as_bytes(exchange)), from_base64(server_signature));
    const Buffer client_key =
        exclusive_or(from_base64(proof), hmac_of(hash, stored.stored_key, as_bytes(exchange)));
    EXPECT_EQ(hash_of(hash, client_key), stored.stored_key);
  }

  TestCluster cluster;
  Request request;
};

TEST_F(AlterScram, Rfc7677) {
  check_exchange(Hash::sha256, sha_256, "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", "W22ZaJ0SNY7soEsUEjb6gQ==",
                 "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

TEST_F(AlterScram, TheExchangeOfScramSha512) {
  check_exchange(Hash::sha512, sha_512, "rOprNGfwEbeRWgbNEkqO02431b08-2f89-4bad-a4e6-80c0564ec865",
                 "Yin2FuHTt/M0kJWb0t9OI32n2VmOGi3m+JfjOvuDF88=",
                 "Hc5yec3NmCD7t+kFRw4/3yD6/F3SQHc7AVYschRja+Bc3sbdjlA0eH1OjJc0DD4ghn1tnXN5/Wr6qm9xmaHt4A==",
                 "BQuhnKHqYDwQWS5jAw4sZed+C9KFUALsbrq81bB0mh+bcUUbbMPNNmBIupnS2AmyyDnG5CTBQtkjJ9kyY4kzmw==");
}

TEST_F(AlterScram, AUserHasACredentialForEachMechanism) {
  set("alice", sha_256);
  EXPECT_EQ(alter(), (Codes{{"alice", ErrorCode::none}}));
  set("alice", sha_512);
  EXPECT_EQ(alter(), (Codes{{"alice", ErrorCode::none}}));
  EXPECT_EQ(cluster.image.scram().all().size(), 2u);
  EXPECT_NE(cluster.image.scram().find("alice", sha_256)->stored_key.size(),
            cluster.image.scram().find("alice", sha_512)->stored_key.size());
  remove("alice", sha_256);
  EXPECT_EQ(alter(), (Codes{{"alice", ErrorCode::none}}));
  EXPECT_EQ(cluster.lines, Lines{"RemoveScram alice 1"});
  EXPECT_EQ(cluster.image.scram().find("alice", sha_256), nullptr);
  EXPECT_NE(cluster.image.scram().find("alice", sha_512), nullptr);
}

TEST_F(AlterScram, TheSameAgainIsWrittenAgain) {
  for (int i = 0; i < 2; ++i) {
    set("alice", sha_256);
    EXPECT_EQ(alter(), (Codes{{"alice", ErrorCode::none}}));
    EXPECT_EQ(cluster.lines, Lines{"Scram alice 1"});
  }
}

TEST_F(AlterScram, RefusedAloneBehindThoseThatSucceed) {
  set("too-few", sha_256, 4095);
  set("too-many", sha_512, 16385);
  set("most", sha_512, 16384);
  set("", sha_256);
  set("none", 0);
  set("third", 3);
  set("empty", sha_256, 4096, {});
  remove("absent", sha_256);
  remove("strange", -1);
  EXPECT_EQ(alter(), (Codes{{"most", ErrorCode::none},
                            {"", ErrorCode::unacceptable_credential},
                            {"absent", ErrorCode::resource_not_found},
                            {"empty", ErrorCode::unknown_server_error},
                            {"none", ErrorCode::unsupported_sasl_mechanism},
                            {"strange", ErrorCode::unsupported_sasl_mechanism},
                            {"third", ErrorCode::unsupported_sasl_mechanism},
                            {"too-few", ErrorCode::unacceptable_credential},
                            {"too-many", ErrorCode::unacceptable_credential}}));
  EXPECT_EQ(cluster.lines, Lines{"Scram most 2"});
}

TEST_F(AlterScram, AUserNamedTwiceIsNotChangedAtAll) {
  set("alice", sha_256);
  alter();
  remove("alice", sha_256);
  set("alice", sha_512);
  set("bob", sha_256);
  EXPECT_EQ(alter(), (Codes{{"bob", ErrorCode::none}, {"alice", ErrorCode::duplicate_resource}}));
  EXPECT_EQ(cluster.lines, Lines{"Scram bob 1"});
  EXPECT_NE(cluster.image.scram().find("alice", sha_256), nullptr);
}

TEST(ScramVersions, BelowMetadataVersion11ThereIsNone) {
  TestCluster cluster({.metadata_version = 10});
  Request request;
  request.upsertions.push_back(cluster.arena, {"u", sha_256, 4096, as_bytes("s"), as_bytes("p")});
  const auto response = cluster.run([&](const HandlerContext& context, RecordList& records) {
    return alter_user_scram_credentials(context, request, records);
  });
  EXPECT_EQ(response.results[0].error_code, ErrorCode::unsupported_version);
  EXPECT_TRUE(cluster.lines.empty());
}

}  // namespace
}  // namespace hayward::core

// server.properties: Kafka's start-up checks, and no key passed over in silence.
#include "tools/config/server_config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/config/kafka_keys.h"

namespace hayward::config {
namespace {

Properties minimal() {
  return {{"process.roles", "controller"},
          {"node.id", "3000"},
          {"controller.listener.names", "CONTROLLER"},
          {"listeners", "CONTROLLER://127.0.0.1:9093"},
          {"controller.quorum.bootstrap.servers", "127.0.0.1:9093"},
          {"log.dirs", "/data/a,/data/b"}};
}

Properties with(const std::string& key, const std::string& value) {
  Properties p = minimal();
  p[key] = value;
  return p;
}

// The one fault of `p`, or "" when there is none.
std::string fault(const Properties& p) {
  const auto config = read_server_config(p);
  if (config) return "";
  EXPECT_EQ(config.error().size(), 1u) << (config.error().size() > 1 ? config.error()[1] : "");
  return config.error()[0];
}

TEST(ServerConfig, Minimal) {
  const auto config = read_server_config(minimal());
  ASSERT_TRUE(config.has_value()) << config.error()[0];
  EXPECT_EQ(config->node.node_id, NodeId{3000});
  EXPECT_EQ(config->node.broker_session_timeout_ms, 9000);
  EXPECT_EQ(config->log.metadata_dir, "/data/a");
  EXPECT_EQ(config->log.log_dirs.size(), 2u);
  ASSERT_EQ(config->node.advertised.size(), 1u);
  EXPECT_EQ(config->node.advertised[0].host, "127.0.0.1");
  EXPECT_TRUE(config->notes.empty());
}

TEST(ServerConfig, UnknownKeyWarnsWithTheNearestName) {
  const auto config = read_server_config(with("broker.sesion.timeout.ms", "1"));
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->notes.size(), 1u);
  EXPECT_NE(config->notes[0].find("did you mean broker.session.timeout.ms?"), std::string::npos) << config->notes[0];
}

// With Kafka's 50, 300 brokers that dial at once take seconds instead of milliseconds.
TEST(ServerConfig, TheBacklogIsLongUnlessItIsSet) {
  EXPECT_EQ(read_server_config(minimal())->net.backlog, 4096);
  EXPECT_EQ(read_server_config(with("socket.listen.backlog.size", "50"))->net.backlog, 50);
}

TEST(ServerConfig, KeysWithoutEffectAreNamed) {
  Properties p = with("num.io.threads", "4");
  p["log.cleaner.threads"] = "2";
  const auto config = read_server_config(p);
  ASSERT_TRUE(config.has_value());
  ASSERT_EQ(config->notes.size(), 2u);
  EXPECT_NE(config->notes[0].find("num.io.threads"), std::string::npos);
  EXPECT_NE(config->notes[1].find("log.cleaner.threads"), std::string::npos);
}

TEST(ServerConfig, WhatIsNotSupportedIsRefusedByName) {
  for (const char* key : {"ssl.keystore.location", "create.topic.policy.class.name",
                          "listener.name.controller.ssl.keystore.location", "config.providers"}) {
    EXPECT_NE(fault(with(key, "x")).find(std::string(key) + ": not supported"), std::string::npos) << key;
  }
  EXPECT_EQ(fault(with("ssl.client.auth", "none")), "") << "its default changes nothing";
  EXPECT_NE(fault(with("listener.security.protocol.map", "CONTROLLER:SSL")).find("TLS and SASL"), std::string::npos);
}

TEST(ServerConfig, TheAuthorizerIsKafkasStandardOneOrNone) {
  EXPECT_NE(fault(with("authorizer.class.name", "com.acme.Authorizer")).find("StandardAuthorizer"), std::string::npos);
  EXPECT_FALSE(read_server_config(minimal())->node.authorizer.enabled);
  EXPECT_FALSE(read_server_config(with("authorizer.class.name", ""))->node.authorizer.enabled);
  Properties p = with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
  EXPECT_TRUE(read_server_config(p)->node.authorizer.enabled);
  EXPECT_FALSE(read_server_config(p)->node.authorizer.allow_everyone_if_no_acl_found);
  p["super.users"] = " User:a ;; User:CN=b, O=c;";
  p["allow.everyone.if.no.acl.found"] = " True";
  const auto config = read_server_config(p);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->node.authorizer.super_users, (std::vector<std::string>{"User:a", "User:CN=b, O=c"}));
  EXPECT_TRUE(config->node.authorizer.allow_everyone_if_no_acl_found);
  p["super.users"] = "alice";
  EXPECT_NE(fault(p).find("super.users"), std::string::npos);
  const auto unused = read_server_config(with("super.users", "User:a"));
  ASSERT_TRUE(unused.has_value());
  EXPECT_NE(unused->notes.at(0).find("super.users"), std::string::npos) << "without an authorizer it sets nothing";
}

TEST(ServerConfig, DelegationTokens) {
  EXPECT_FALSE(read_server_config(minimal())->node.delegation_token_secret_key.has_value());
  EXPECT_FALSE(read_server_config(with("delegation.token.secret.key", ""))->node.delegation_token_secret_key.has_value());
  Properties p = with("delegation.token.secret.key", "s3cret");
  p["delegation.token.max.lifetime.ms"] = "1000";
  p["delegation.token.expiry.time.ms"] = "100";
  p["delegation.token.expiry.check.interval.ms"] = "10";
  const auto config = read_server_config(p);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->node.delegation_token_secret_key, "s3cret");
  EXPECT_EQ(config->node.delegation_token_max_lifetime_ms, 1000);
  EXPECT_EQ(config->node.delegation_token_expiry_time_ms, 100);
  EXPECT_EQ(config->node.delegation_token_expiry_check_interval_ms, 10);
}

TEST(ServerConfig, StartUpChecks) {
  EXPECT_NE(fault(with("process.roles", "broker,controller")).find("controller only"), std::string::npos);
  EXPECT_NE(fault(with("broker.id", "1")).find("broker.id"), std::string::npos);
  EXPECT_NE(fault(with("listeners", "CONTROLLER://h:1,OTHER://h:2")).find("OTHER"), std::string::npos);
  EXPECT_NE(fault(with("listeners", "CONTROLLER:9093")).find("NAME://host:port"), std::string::npos);
  EXPECT_NE(fault(with("controller.listener.names", "CONTROLLER,SECOND")).find("SECOND"), std::string::npos);
  EXPECT_NE(fault(with("controller.quorum.voters", "1@h:9093")).find("3000"), std::string::npos);
  EXPECT_NE(fault(with("inter.broker.listener.name", "CONTROLLER")).find("inter.broker"), std::string::npos);
  EXPECT_NE(fault(with("advertised.listeners", "CONTROLLER://0.0.0.0:9093")).find("advertised"), std::string::npos);
  EXPECT_NE(fault(with("log.dirs", ",")).find("log.dirs"), std::string::npos);
  Properties none = minimal();
  none.erase("controller.quorum.bootstrap.servers");
  EXPECT_NE(fault(none).find("bootstrap.servers"), std::string::npos);
}

TEST(ServerConfig, ValuesAreCheckedWithTypeAndRange) {
  EXPECT_NE(fault(with("broker.session.timeout.ms", "9s")).find("32-bit integer"), std::string::npos);
  EXPECT_NE(fault(with("metadata.log.segment.bytes", "1024")).find("[8388608,...]"), std::string::npos);
  EXPECT_NE(fault(with("socket.request.max.bytes", "99999999999")).find("32-bit"), std::string::npos);
  EXPECT_NE(fault(with("delete.topic.enable", "yes")).find("true or false"), std::string::npos);
  EXPECT_NE(fault(with("log.cleanup.policy", "delete,shrink")).find("list"), std::string::npos);
}

TEST(ServerConfig, WildcardBindAdvertisesThisMachine) {
  const auto config = read_server_config(with("listeners", "CONTROLLER://:9093"));
  ASSERT_TRUE(config.has_value());
  EXPECT_FALSE(config->node.advertised[0].host.empty());
  EXPECT_EQ(config->net.listeners[0].host, "");
}

TEST(ServerConfig, Ipv6AndStaticVoters) {
  Properties p = with("listeners", "controller://[::1]:9093");
  p["controller.quorum.voters"] = "3000@[::1]:9093, 3001@host:9094";
  const auto config = read_server_config(p);
  ASSERT_TRUE(config.has_value()) << config.error()[0];
  EXPECT_EQ(config->node.advertised[0].host, "::1");
  ASSERT_EQ(config->node.static_voters.size(), 2u);
  EXPECT_EQ(config->node.static_voters[1].endpoints[0].host, "host");
}

TEST(KafkaKeys, TableIsSortedAndItsDefaultsAreValid) {
  int known = 0;
  for (const char* name : {"broker.session.timeout.ms", "zzz", "add.partitions.to.txn.retry.backoff.max.ms", "unstable.feature.versions.enable"})
    known += find_key(name) != nullptr;
  EXPECT_EQ(known, 3);
  const Key* key = find_key("log.cleaner.min.cleanable.ratio");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(check_value(*key, key->default_value), std::nullopt);
  EXPECT_NE(check_value(*key, "1.5"), std::nullopt);
}

TEST(LoadProperties, OverridesLieOverTheFile) {
  const std::string path = testing::TempDir() + "server.properties";
  FILE* file = fopen(path.c_str(), "w");
  fputs("node.id=1\na=b\n", file);
  fclose(file);
  const auto p = load_properties(path, {"node.id=2"});
  ASSERT_TRUE(p.has_value());
  EXPECT_EQ(p->at("node.id"), "2");
  EXPECT_EQ(p->at("a"), "b");
  EXPECT_FALSE(load_properties(path, {"node.id"}).has_value());
  EXPECT_FALSE(load_properties("/no/such/file", {}).has_value());
}

}  // namespace
}  // namespace hayward::config

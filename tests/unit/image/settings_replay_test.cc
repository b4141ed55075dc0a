// Records about configs, features, quotas, producer ids, ACLs, SCRAM, tokens; frames that are refused.
#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

using SettingsReplay = ImageTest;

TEST_F(SettingsReplay, ConfigsAreSetAndNullRemoves) {
  apply(records::ConfigRecord{2, "foo", "retention.ms", "1000"});
  apply(records::ConfigRecord{2, "foo", "segment.ms", ""});
  EXPECT_EQ(*image_.configs().value(ConfigResourceType::topic, "foo", "retention.ms"), "1000");
  EXPECT_EQ(*image_.configs().value(ConfigResourceType::topic, "foo", "segment.ms"), "");
  apply(records::ConfigRecord{2, "foo", "retention.ms", std::nullopt});
  EXPECT_EQ(image_.configs().value(ConfigResourceType::topic, "foo", "retention.ms"), nullptr);
  apply(records::ConfigRecord{2, "foo", "segment.ms", std::nullopt});
  apply(records::ConfigRecord{2, "bar", "segment.ms", std::nullopt});
  EXPECT_TRUE(image_.configs().all().empty());
}

TEST_F(SettingsReplay, ConfigsThatThisVersionDoesNotKnowArePassedOver) {
  apply(records::ConfigRecord{2, "foo", "message.format.version", "2.8"});
  apply(records::ConfigRecord{16, "m", "unknown", "1"});
  apply(records::ConfigRecord{32, "g", "unknown", "1"});
  apply(records::ConfigRecord{8, "1", "retention.ms", "1"});
  apply(records::ConfigRecord{-7, "1", "retention.ms", "1"});
  EXPECT_TRUE(image_.configs().all().empty());
  apply(records::ConfigRecord{4, "", "listener.name.x.ssl.keystore.location", "/k"});
  apply(records::ConfigRecord{16, "m", "interval.ms", "1"});
  apply(records::ConfigRecord{32, "g", "share.session.timeout.ms", "1"});
  EXPECT_EQ(image_.configs().all().size(), 3u);
}

TEST_F(SettingsReplay, FeatureLevels) {
  EXPECT_EQ(image_.features().metadata_version(), std::nullopt);
  set_metadata_version(30);
  apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1});
  EXPECT_EQ(image_.features().metadata_version()->name(), "4.3-IV0");
  EXPECT_TRUE(image_.features().elr_enabled());
  EXPECT_EQ(image_.features().changed_at(), Offset{1});
  apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 0});
  EXPECT_FALSE(image_.features().elr_enabled());
  EXPECT_EQ(image_.features().all().size(), 1u);
  apply(records::FeatureLevelRecord{"no.such.feature", 0});
  refuse(records::FeatureLevelRecord{"no.such.feature", 1});
  refuse(records::FeatureLevelRecord{"transaction.version", 3});
  refuse(records::FeatureLevelRecord{"metadata.version", 6});
  EXPECT_EQ(refuse(records::FeatureLevelRecord{"metadata.version", 31}),
            "record FeatureLevelRecord at offset 4: expected a level of metadata.version from 7 to 30, found 31");
  Image unstable(true);
  EXPECT_TRUE(unstable.replay(frame(records::FeatureLevelRecord{"metadata.version", 31}), Offset{0}).has_value());
}

// KAFKA-18979: raft keeps kraft.version.
// cases.md row 70.
TEST_F(SettingsReplay, AKraftVersionAmongTheFeaturesIsPassedOver) {
  apply(records::FeatureLevelRecord{"kraft.version", 1});
  EXPECT_TRUE(image_.features().all().empty());
  refuse(records::FeatureLevelRecord{"kraft.version", 2});
}

TEST_F(SettingsReplay, ClientQuotas) {
  records::ClientQuotaRecord record;
  record.entity.push_back(arena_, {"user", "alice"});
  record.entity.push_back(arena_, {"client-id", std::nullopt});
  record.key = "producer_byte_rate";
  record.value = 10.5;
  apply(record);
  const QuotaEntity entity{{"client-id", std::nullopt}, {"user", "alice"}};
  EXPECT_EQ(image_.client_quotas().of(entity).at("producer_byte_rate"), 10.5);
  record.remove = true;
  record.key = "consumer_byte_rate";
  apply(record);
  EXPECT_EQ(image_.client_quotas().of(entity).size(), 1u);
  record.key = "producer_byte_rate";
  apply(record);
  EXPECT_TRUE(image_.client_quotas().all().empty());
}

TEST_F(SettingsReplay, ProducerIdsOnlyRise) {
  EXPECT_EQ(image_.producer_ids().next_producer_id, -1);
  apply(records::ProducerIdsRecord{node(1), BrokerEpoch{4}, 1000});
  EXPECT_EQ(image_.producer_ids(), (ProducerIds{node(1), BrokerEpoch{4}, 1000}));
  EXPECT_NE(refuse(records::ProducerIdsRecord{node(1), BrokerEpoch{4}, 1000}).find("above 1000"), std::string::npos);
  apply(records::ProducerIdsRecord{node(2), BrokerEpoch{5}, 2000});
}

TEST_F(SettingsReplay, Acls) {
  const records::AccessControlEntryRecord record{Uuid{1, 1}, 2, "foo", 3, "User:a", "*", 3, 3};
  apply(record);
  const Acl acl{2, "foo", 3, "User:a", "*", 3, 3};
  EXPECT_EQ(*image_.acls().find(Uuid{1, 1}), acl);
  EXPECT_TRUE(image_.acls().contains(acl));
  apply(records::RemoveAccessControlEntryRecord{Uuid{1, 1}});
  EXPECT_FALSE(image_.acls().contains(acl));
  EXPECT_NE(refuse(records::RemoveAccessControlEntryRecord{Uuid{1, 1}}).find("no such ACL"), std::string::npos);
}

TEST_F(SettingsReplay, Scram) {
  records::UserScramCredentialRecord record;
  record.name = "alice";
  record.mechanism = 2;
  record.salt = as_bytes("salt");
  record.iterations = 4096;
  apply(record);
  EXPECT_EQ(image_.scram().find("alice", 2)->iterations, 4096);
  EXPECT_EQ(image_.scram().find("alice", 1), nullptr);
  EXPECT_NE(refuse(records::RemoveUserScramCredentialRecord{"alice", 1}).find("no such credential"), std::string::npos);
  apply(records::RemoveUserScramCredentialRecord{"alice", 2});
  EXPECT_TRUE(image_.scram().all().empty());
}

TEST_F(SettingsReplay, DelegationTokens) {
  records::DelegationTokenRecord record;
  record.token_id = "t1";
  record.owner = "User:a";
  record.renewers.push_back(arena_, "User:b");
  record.expiration_timestamp = 5;
  apply(record);
  record.expiration_timestamp = 9;
  apply(record);
  EXPECT_EQ(image_.delegation_tokens().find("t1")->expiration_timestamp_ms, 9);
  EXPECT_EQ(image_.delegation_tokens().find("t1")->renewers, std::vector<std::string>{"User:b"});
  apply(records::RemoveDelegationTokenRecord{"none"});  // no error in Kafka either
  apply(records::RemoveDelegationTokenRecord{"t1"});
  EXPECT_TRUE(image_.delegation_tokens().all().empty());
}

TEST_F(SettingsReplay, RecordsThatChangeNothing) {
  const std::uint64_t before = image_.hash();
  apply(records::NoOpRecord{});
  apply(records::ZkMigrationStateRecord{3});
  EXPECT_EQ(image_.hash(), before);
}

TEST_F(SettingsReplay, FramesThatAreNoKnownRecordAreRefusedInOneLine) {
  Buffer bytes = frame(topic("foo", 1));
  bytes[0] = std::byte{2};
  EXPECT_NE(refuse_bytes(bytes).find("frame 2, type 2, version 0"), std::string::npos);
  bytes = frame(topic("foo", 1));
  bytes[1] = std::byte{6};
  EXPECT_NE(refuse_bytes(bytes).find("unknown record type"), std::string::npos);
  bytes = frame(topic("foo", 1));
  bytes[2] = std::byte{1};
  EXPECT_NE(refuse_bytes(bytes).find("unknown record version"), std::string::npos);
  bytes = frame(topic("foo", 1));
  bytes.push_back(std::byte{0});
  EXPECT_NE(refuse_bytes(bytes).find("record TopicRecord at offset 0"), std::string::npos);
  refuse_bytes({});
}

TEST_F(SettingsReplay, EveryPrefixOfARecordIsRefused) {
  const Buffer whole = frame(broker(1));
  for (std::size_t length = 0; length < whole.size(); ++length) refuse_bytes(Bytes(whole).first(length));
}

TEST_F(SettingsReplay, ErrorsAreOneLineWhateverTheRecordSays) {  // cases.md row 68
  const std::string error = refuse(records::ClearElrRecord{"a\nb\x01"});
  EXPECT_EQ(error, "record ClearElrRecord at offset 0: expected topic a?b?, found no such topic");
  const std::string name(20'000, 'x');
  EXPECT_LT(refuse(records::ClearElrRecord{name}).size(), 2'000u);
}

}  // namespace
}  // namespace hayward::core::testing

// RecordList and metadata.version: versions by level, offsets, what is refused.
#include "engine/core/records.h"

#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

template <class Record>
std::int16_t written_version(const Record& record, std::int16_t level) {
  RecordList list(Offset{0}, MetadataVersion{level}, level >= 23);
  list.add(record);
  return records::parse_frame(list[0])->version;
}

TEST(RecordList, EachRecordKnowsItsOffset) {
  RecordList list(Offset{10}, MetadataVersion{30}, false);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.next_offset(), Offset{10});
  EXPECT_EQ(list.add(records::NoOpRecord{}), Offset{10});
  EXPECT_EQ(list.add(records::TopicRecord{"foo", topic_id(1)}), Offset{11});
  EXPECT_EQ(list.add(records::NoOpRecord{}), Offset{12});
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(Buffer(list[1].begin(), list[1].end()), frame(records::TopicRecord{"foo", topic_id(1)}));
  EXPECT_EQ(list.total_bytes(), list[0].size() + list[1].size() + list[2].size());
  list.truncate(1);
  EXPECT_EQ(list.next_offset(), Offset{11});
  EXPECT_EQ(list.total_bytes(), list[0].size());
  EXPECT_EQ(list.add(records::TopicRecord{"bar", topic_id(2)}), Offset{11});
  EXPECT_EQ(Buffer(list[1].begin(), list[1].end()), frame(records::TopicRecord{"bar", topic_id(2)}));
  list.truncate(0);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.total_bytes(), 0u);
}

TEST(RecordList, VersionsFollowTheMetadataVersion) {
  const records::RegisterBrokerRecord broker;
  EXPECT_EQ(written_version(broker, 7), 1);
  EXPECT_EQ(written_version(broker, 8), 2);
  EXPECT_EQ(written_version(broker, 16), 2);
  EXPECT_EQ(written_version(broker, 17), 3);
  EXPECT_EQ(written_version(broker, 29), 3);
  EXPECT_EQ(written_version(broker, 30), 4);
  const records::PartitionChangeRecord change;
  EXPECT_EQ(written_version(change, 16), 0);
  EXPECT_EQ(written_version(change, 17), 1);
  EXPECT_EQ(written_version(change, 22), 1);
  EXPECT_EQ(written_version(change, 23), 2);
  EXPECT_EQ(written_version(records::PartitionRecord{}, 30), 2);
  EXPECT_EQ(written_version(records::FeatureLevelRecord{}, 30), 0);
}

// Kafka writes v0 for fencing, v1 for shutdown, v2 for directories, v3 for cordoned ones, whatever the level.
TEST(RecordList, BrokerRegistrationChangeIsWrittenInTheLeastVersionThatCanSayIt) {
  Arena arena;
  records::BrokerRegistrationChangeRecord change;
  change.fenced = 1;
  EXPECT_EQ(written_version(change, 30), 0);
  change.in_controlled_shutdown = 1;
  EXPECT_EQ(written_version(change, 30), 1);
  EXPECT_EQ(written_version(change, 7), 1);
  change.log_dirs.push_back(arena, dir_id(1));
  EXPECT_EQ(written_version(change, 30), 2);
  change.cordoned_log_dirs = Array<DirectoryId>();
  EXPECT_EQ(written_version(change, 30), 3);
}

TEST(RecordList, TypesHaveTheirLevel) {
  const auto from = [](std::int16_t key) -> std::int16_t {
    for (std::int16_t level = 7; level <= 30; ++level) {
      if (record_version(key, MetadataVersion{level})) return level;
    }
    return -1;
  };
  EXPECT_EQ(from(records::UserScramCredentialRecord::api_key), 11);
  EXPECT_EQ(from(records::RemoveUserScramCredentialRecord::api_key), 11);
  EXPECT_EQ(from(records::BeginTransactionRecord::api_key), 13);
  EXPECT_EQ(from(records::EndTransactionRecord::api_key), 13);
  EXPECT_EQ(from(records::AbortTransactionRecord::api_key), 13);
  EXPECT_EQ(from(records::DelegationTokenRecord::api_key), 14);
  EXPECT_EQ(from(records::RemoveDelegationTokenRecord::api_key), 14);
  EXPECT_EQ(from(records::RegisterControllerRecord::api_key), 15);
  EXPECT_EQ(from(records::ClearElrRecord::api_key), 23);
  EXPECT_EQ(from(records::FenceBrokerRecord::api_key), -1);
  EXPECT_EQ(from(records::UnfenceBrokerRecord::api_key), -1);
  EXPECT_EQ(from(records::ZkMigrationStateRecord::api_key), -1);
  EXPECT_EQ(from(records::ConfigRecord::api_key), 7);
  EXPECT_EQ(from(6), -1);
}

TEST(RecordListDeathTest, NothingIsWrittenAboveTheFinalizedFeatures) {
  Arena arena;
  EXPECT_DEATH(RecordList(Offset{0}, MetadataVersion{10}, false).add(records::UserScramCredentialRecord{}), "C17");
  records::PartitionRecord partition;
  partition.directories.push_back(arena, dir_id(1));
  EXPECT_DEATH(RecordList(Offset{0}, MetadataVersion{16}, false).add(partition), "C17");
  records::PartitionChangeRecord change;
  change.eligible_leader_replicas = Array<NodeId>();
  RecordList(Offset{0}, MetadataVersion{30}, false).add(change);  // emptying is allowed
  change.eligible_leader_replicas.push_back(arena, node(1));
  EXPECT_DEATH(RecordList(Offset{0}, MetadataVersion{30}, false).add(change), "C17");
}

TEST(MetadataVersion, NamesAndReleases) {
  EXPECT_EQ(MetadataVersion{7}.name(), "3.3-IV3");
  EXPECT_EQ(MetadataVersion{30}.name(), "4.3-IV0");
  EXPECT_EQ(MetadataVersion{6}.name(), "unknown");
  EXPECT_EQ(metadata_version_from_level(6), std::nullopt);
  EXPECT_EQ(metadata_version_from_level(32), std::nullopt);
  EXPECT_EQ(metadata_version_from_level(-1), std::nullopt);
  EXPECT_EQ(metadata_version_from_name("3.6-IV1"), MetadataVersion{13});
  EXPECT_EQ(metadata_version_from_name("3.6-IV9"), std::nullopt);
  EXPECT_EQ(metadata_version_from_name("2.8"), std::nullopt);
  EXPECT_EQ(metadata_version_from_name(""), std::nullopt);
  const std::pair<const char*, std::int16_t> releases[] = {{"3.3", 7},  {"3.4", 8},  {"3.5", 11}, {"3.6", 14},
                                                           {"3.7", 19}, {"3.8", 20}, {"3.9", 21}, {"4.0", 25},
                                                           {"4.1", 27}, {"4.2", 29}, {"4.3", 30}, {"4.3.1", 30}};
  for (const auto& [name, level] : releases) EXPECT_EQ(metadata_version_from_name(name), MetadataVersion{level}) << name;
  for (std::int16_t level = 7; level <= 31; ++level) {
    EXPECT_EQ(metadata_version_from_name(MetadataVersion{level}.name()), MetadataVersion{level});
  }
}

TEST(MetadataVersion, FormatChanges) {
  EXPECT_FALSE(metadata_format_changes_between(MetadataVersion{28}, MetadataVersion{29}));
  EXPECT_TRUE(metadata_format_changes_between(MetadataVersion{29}, MetadataVersion{30}));
  EXPECT_FALSE(metadata_format_changes_between(MetadataVersion{23}, MetadataVersion{29}));
  EXPECT_TRUE(metadata_format_changes_between(MetadataVersion{22}, MetadataVersion{29}));
  EXPECT_FALSE(metadata_format_changes_between(MetadataVersion{30}, MetadataVersion{30}));
}

TEST(Features, DefaultsRangesAndWhatTheyNeed) {
  EXPECT_EQ(supported_feature("metadata.version", false).min, 7);
  EXPECT_EQ(supported_feature("metadata.version", false).max, 30);
  EXPECT_EQ(supported_feature("metadata.version", true).max, 31);
  EXPECT_EQ(supported_feature("transaction.version", false).max, 2);
  EXPECT_EQ(supported_feature("no.such", false).max, 0);
  EXPECT_EQ(default_feature_level("transaction.version", MetadataVersion{23}), 0);
  EXPECT_EQ(default_feature_level("transaction.version", MetadataVersion{24}), 2);
  EXPECT_EQ(default_feature_level("eligible.leader.replicas.version", MetadataVersion{25}), 0);
  EXPECT_EQ(default_feature_level("eligible.leader.replicas.version", MetadataVersion{26}), 1);
  EXPECT_EQ(default_feature_level("streams.version", MetadataVersion{28}), 0);
  EXPECT_EQ(default_feature_level("streams.version", MetadataVersion{30}), 1);
  EXPECT_EQ(required_metadata_version("eligible.leader.replicas.version", 1), MetadataVersion{23});
  EXPECT_EQ(required_metadata_version("eligible.leader.replicas.version", 0), std::nullopt);
  EXPECT_EQ(required_metadata_version("group.version", 1), MetadataVersion{7});
}

}  // namespace
}  // namespace hayward::core::testing

// Snapshots: image -> checkpoint -> image gives the same image, and the same bytes again.
#include "engine/core/image/snapshot_writer.h"

#include <algorithm>
#include <string>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"
#include "tests/unit/image/random_log.h"

namespace hayward::core::testing {
namespace {

// The control and data records of a checkpoint, in order; every batch checked.
struct Content {
  std::vector<std::int16_t> control_types;
  std::vector<records::RecordType> types;
  std::vector<std::size_t> data_batches;  // records in each
  bool starts_and_ends_with_control = false;
};

void load(const std::vector<Buffer>& batches, Epoch epoch, Image& into, Content& content) {
  std::int64_t next = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto header = check_batch(batches[i]);
    ASSERT_TRUE(header.has_value());
    ASSERT_EQ(header->size(), batches[i].size());
    ASSERT_EQ(header->base_offset, Offset{next});
    ASSERT_EQ(header->epoch, epoch);
    next += header->record_count;
    if (!header->is_control()) content.data_batches.push_back(static_cast<std::size_t>(header->record_count));
    if (i == 0 || i + 1 == batches.size()) content.starts_and_ends_with_control = header->is_control() && (i == 0 || content.starts_and_ends_with_control);
    RecordIterator records(*header, batches[i]);
    while (const auto record = records.next()) {
      if (header->is_control()) {
        Reader key(*record->key);
        key.read_i16();
        content.control_types.push_back(key.read_i16());
        continue;
      }
      content.types.push_back(records::parse_frame(*record->value)->type);
      const auto applied = into.replay(*record->value, Offset{99}, ReplaySource::snapshot);
      ASSERT_TRUE(applied.has_value()) << applied.error().to_string();
    }
    ASSERT_FALSE(records.error().has_value());
  }
}

const SnapshotMeta meta{Epoch{3}, 111, 222, 0, {}};

class SnapshotRoundTrip : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SnapshotRoundTrip, GivesTheSameImageAndTheSameBytes) {
  RandomLog log(GetParam());
  Image image;
  Offset next{0};
  const auto replay = [&](const Buffer& record) { ASSERT_TRUE(image.replay(record, next).has_value()) << next.value; ++next.value; };
  replay(frame(records::FeatureLevelRecord{"metadata.version", 30}));
  for (int step = 0; step < 3'000; ++step) replay(log.next(image));
  if (image.in_transaction()) replay(frame(records::EndTransactionRecord{}));
  // ELR is only carried while its feature is on.
  replay(frame(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1}));

  const std::vector<Buffer> batches = write_snapshot(image, meta);
  Image loaded;
  Content content;
  load(batches, meta.epoch, loaded, content);
  EXPECT_EQ(loaded.hash(), image.hash());
  EXPECT_EQ(write_snapshot(loaded, meta), batches);
  EXPECT_EQ(loaded.features().changed_at(), Offset{99});
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotRoundTrip, ::testing::Range<std::uint64_t>(100, 108));

using SnapshotTest = ImageTest;

TEST_F(SnapshotTest, RecordsComeInKafkasOrder) {
  using records::RecordType;
  // Written in about the opposite order.
  apply(records::DelegationTokenRecord{"User:a", "User:a", {}, 0, 0, 0, "t"});
  apply(records::UserScramCredentialRecord{"u", 1, {}, {}, {}, 4096});
  apply(records::AccessControlEntryRecord{Uuid{1, 1}, 2, "x", 3, "User:a", "*", 1, 1});
  apply(records::ProducerIdsRecord{node(1), BrokerEpoch{2}, 1000});
  records::ClientQuotaRecord quota;
  quota.entity.push_back(arena_, {"user", "a"});
  quota.key = "producer_byte_rate";
  apply(quota);
  apply(records::ConfigRecord{2, "b", "retention.ms", "1"});
  apply(topic("b", 2));
  apply(topic("a", 1));
  apply(partition(1, 0, {1}, 1));
  apply(partition(2, 1, {1}, 1));
  apply(partition(2, 0, {1}, 1));
  records::RegisterControllerRecord controller;
  controller.controller_id = node(3000);
  apply(controller);
  apply(broker(1));
  apply(records::FeatureLevelRecord{"group.version", 1});
  apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1});
  set_metadata_version(30);

  Image loaded;
  Content content;
  const std::vector<Buffer> batches = write_snapshot(image_, meta);
  load(batches, meta.epoch, loaded, content);
  EXPECT_TRUE(content.starts_and_ends_with_control);
  EXPECT_EQ(content.control_types, (std::vector<std::int16_t>{3, 4}));
  EXPECT_EQ(content.types,
            (std::vector<RecordType>{
                RecordType::feature_level, RecordType::feature_level, RecordType::feature_level, RecordType::register_broker,
                RecordType::register_controller, RecordType::topic, RecordType::partition, RecordType::partition,
                RecordType::topic, RecordType::partition, RecordType::config, RecordType::client_quota,
                RecordType::producer_ids, RecordType::access_control_entry, RecordType::user_scram_credential,
                RecordType::delegation_token}));
  EXPECT_EQ(loaded.producer_ids(), (ProducerIds{no_node, BrokerEpoch{-1}, 1000}));
  EXPECT_EQ(loaded.hash(), image_.hash());
  // metadata.version leads.
  const auto header = check_batch(batches[1]);
  RecordIterator records(*header, batches[1]);
  Arena arena;
  const auto first = records::decode_body<records::FeatureLevelRecord>(*records::parse_frame(*records.next()->value), arena);
  EXPECT_EQ(first->name, "metadata.version");
}

TEST_F(SnapshotTest, TheHeaderCarriesVersionAndVotersFromKraftVersionOne) {
  SnapshotMeta dynamic = meta;
  dynamic.kraft_version = 1;
  dynamic.voters.push_back({node(3000), dir_id(1), {{"CONTROLLER", "localhost", 9093, 0}}, 0, 1});
  const std::vector<Buffer> batches = write_snapshot(image_, dynamic);
  ASSERT_EQ(batches.size(), 2u);  // nothing finalized: no data batch
  const auto header = check_batch(batches[0]);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->base_timestamp_ms, 222);
  RecordIterator records(*header, batches[0]);
  Arena arena;
  const auto first = decode_control(*records.next(), arena);
  EXPECT_EQ(std::get<records::SnapshotHeaderRecord>(*first).last_contained_log_timestamp, 111);
  const auto second = decode_control(*records.next(), arena);
  EXPECT_EQ(std::get<records::KRaftVersionRecord>(*second).kraft_version, 1);
  const auto third = decode_control(*records.next(), arena);
  const auto& voters = std::get<records::VotersRecord>(*third).voters;
  ASSERT_EQ(voters.size(), 1u);
  EXPECT_EQ(voters[0].voter_id, node(3000));
  EXPECT_EQ(voters[0].voter_directory_id, dir_id(1));
  EXPECT_EQ(voters[0].endpoints[0].port, 9093);
  EXPECT_EQ(voters[0].kraft_version_feature.max_supported_version, 1);
}

TEST_F(SnapshotTest, DataBatchesHoldAtMost1024Records) {
  set_metadata_version(30);
  for (std::uint64_t t = 1; t <= 2'100; ++t) apply(topic("t" + std::to_string(t), t));
  Image loaded;
  Content content;
  load(write_snapshot(image_, meta), meta.epoch, loaded, content);
  EXPECT_EQ(content.data_batches, (std::vector<std::size_t>{1024, 1024, 53}));
}

TEST_F(SnapshotTest, BatchesStayWithinTheBatchLimit) {  // cases.md row 62
  set_metadata_version(30);
  const std::string large(30'000, 'x');
  for (int i = 0; i < 600; ++i) apply(records::ConfigRecord{4, std::to_string(i), "key", large});
  const std::vector<Buffer> batches = write_snapshot(image_, meta);
  EXPECT_EQ(batches.size(), 5u);  // three of data
  for (const Buffer& batch : batches) EXPECT_LE(batch.size(), max_batch_bytes);
}

TEST_F(SnapshotTest, ElrIsLeftOutWhileItsFeatureIsOff) {
  set_metadata_version(30);
  apply(topic("a", 1));
  records::PartitionRecord record = partition(1, 0, {1, 2}, 1);
  record.isr = ids({1});
  record.eligible_leader_replicas = ids({2});
  apply(record);
  Image loaded;
  Content content;
  load(write_snapshot(image_, meta), meta.epoch, loaded, content);
  EXPECT_TRUE(loaded.topics().partition(topic_id(1), PartitionIndex{0})->elr().empty());
}

// What a lower metadata.version cannot say is left out, and no record is written above it.
TEST_F(SnapshotTest, RecordsAreWrittenInTheFinalizedVersions) {
  for (std::int16_t level = 7; level <= 30; ++level) {
    Image image;
    Offset next{0};
    const auto replay = [&](Bytes bytes) { ASSERT_TRUE(image.replay(bytes, next).has_value()); ++next.value; };
    replay(frame(records::FeatureLevelRecord{"metadata.version", level}));
    records::RegisterBrokerRecord registration = broker(1);
    registration.cordoned_log_dirs = dirs({1});
    replay(frame(registration));
    replay(frame(topic("a", 1)));
    records::PartitionRecord record = partition(1, 0, {1}, 1);
    record.directories = dirs({1});
    replay(frame(record));
    replay(frame(records::UserScramCredentialRecord{"u", 1, {}, {}, {}, 4096}));
    Image loaded;
    Content content;
    load(write_snapshot(image, meta), meta.epoch, loaded, content);
    const BrokerRegistration* found = loaded.cluster().broker(node(1));
    EXPECT_EQ(found->cordoned_log_dirs.has_value(), level >= 30);
    EXPECT_EQ(found->log_dirs.empty(), level < 17);
    EXPECT_EQ(loaded.topics().partition(topic_id(1), PartitionIndex{0})->directories()[0] == directory_migrating, level < 17);
    EXPECT_EQ(loaded.scram().all().empty(), level < 11);
  }
}

}  // namespace
}  // namespace hayward::core::testing

// A snapshot in slices: whatever changes meanwhile in whichever family, and whichever way, the file tells of the moment
// at which it was begun, in the records in which it has always been told.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "engine/core/image/snapshot_writer.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/crc32c.h"
#include "tests/unit/image/random_log.h"

namespace hayward::core::testing {
namespace {

const SnapshotMeta meta{Epoch{3}, 111, 222, 0, {}};

// Offset and value of each record, a line each.
std::vector<std::string> lines_of(const std::vector<Buffer>& batches) {
  std::vector<std::string> all;
  for (const Buffer& batch : batches) {
    const auto header = check_batch(batch);
    RecordIterator records(*header, batch);
    while (const auto record = records.next()) {
      all.push_back(std::to_string(record->offset.value) + ":" + std::string(as_text(record->value.value_or(Bytes()))));
    }
  }
  return all;
}

std::uint32_t checksum(const std::vector<Buffer>& batches) {
  std::string all;
  for (const std::string& line : lines_of(batches)) all += line + "\n";
  return crc32c(as_bytes(all));
}

class SnapshotSlicesTest : public ImageTest {
 protected:
  // Several entries in each family.
  void fill() {
    set_metadata_version(30);
    apply(records::FeatureLevelRecord{"group.version", 1});
    apply(records::FeatureLevelRecord{"eligible.leader.replicas.version", 1});
    for (std::int32_t id = 1; id <= 5; ++id) {
      apply(broker(id, id));
      records::RegisterControllerRecord controller;
      controller.controller_id = node(3000 + id);
      apply(controller);
    }
    for (std::uint64_t t = 1; t <= 40; ++t) {
      const std::string name = "t" + std::to_string(41 - t);
      apply(topic(name, t));
      for (std::int32_t p = 0; p < 30; ++p) {
        records::PartitionRecord record = partition(t, 29 - p, {1, 2, 3}, 1);
        if (p % 3 == 0) record.eligible_leader_replicas = ids({2});
        apply(record);
      }
      for (const char* key : {"retention.ms", "segment.ms", "min.insync.replicas"}) {
        apply(records::ConfigRecord{2, name, key, std::to_string(t)});
      }
      apply(records::ConfigRecord{4, std::to_string(t % 5), "log.cleaner.threads", std::to_string(t)});
      records::ClientQuotaRecord quota;
      if (t % 2 == 0) quota.entity.push_back(arena_, {"user", name});
      if (t % 3 == 0) quota.entity.push_back(arena_, {"client-id", std::nullopt});
      for (const char* key : {"producer_byte_rate", "request_percentage"}) {
        quota.key = key;
        quota.value = static_cast<double>(t);
        apply(quota);
      }
      apply(records::AccessControlEntryRecord{Uuid{t * 0x9e3779b97f4a7c15, t}, 2, name, 3, "User:a", "*", 3, 3});
      apply(records::UserScramCredentialRecord{name, static_cast<std::int8_t>(1 + t % 2), as_bytes("salt"), as_bytes("stored"),
                                               as_bytes("server"), 4096});
      apply(records::DelegationTokenRecord{"User:a", "User:b", {}, 1, 2, 3, name});
    }
    apply(records::ProducerIdsRecord{node(1), BrokerEpoch{2}, 5000});
  }
};

// The checksum is that of the writer that encoded everything but topics in one go.
TEST_F(SnapshotSlicesTest, AFixedImageGivesTheSameRecordsAsEver) {
  fill();
  EXPECT_EQ(checksum(write_snapshot(image_, meta)), 3290291843u);
}

// Whatever family it is in.
TEST_F(SnapshotSlicesTest, ASliceHoldsNoMoreEntriesThanItMay) {
  fill();
  constexpr std::size_t entries = 10 + 40 * 31 + 125 + 44 + 1 + 120;
  SnapshotWriter writer(image_, meta);
  std::vector<std::size_t> sizes;
  while (!writer.done()) sizes.push_back(lines_of(writer.next(9)).size());
  ASSERT_EQ(sizes.size(), entries / 9 + 1);
  EXPECT_EQ(sizes.front(), 1u + 3 + 9) << "the header and the features besides";
  EXPECT_EQ(sizes.back(), entries % 9 + 1);
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) ASSERT_EQ(sizes[i], 9u) << i;
}

TEST_F(SnapshotSlicesTest, ASliceOfLargeEntriesHoldsFewer) {
  set_metadata_version(30);
  const std::string large(10'000, 'x');
  for (int i = 0; i < 600; ++i) apply(records::ConfigRecord{4, std::to_string(i), "key", large});
  SnapshotWriter writer(image_, meta);
  while (!writer.done()) {
    std::size_t bytes = 0;
    for (const Buffer& batch : writer.next(1000)) bytes += batch.size();
    ASSERT_LE(bytes, 1000u * 256 + 2 * large.size());
  }
}

// Neither what is gone nor what has come may make a slice long.
TEST_F(SnapshotSlicesTest, WhatCameMeanwhileCountsInItsSlice) {
  set_metadata_version(30);
  apply(topic("a", 1));
  apply(partition(1, 0, {1}, 1));
  apply(records::ConfigRecord{4, "9", "key", "value"});
  SnapshotWriter writer(image_, meta);
  writer.next(1);
  for (std::int32_t p = 1; p <= 50; ++p) apply(partition(1, p, {1}, 1));
  for (int i = 0; i < 50; ++i) apply(records::ConfigRecord{4, "1", "key" + std::to_string(i), "value"});
  EXPECT_EQ(writer.pre_images(), 100u);
  int slices = 1;
  for (; !writer.done(); ++slices) writer.next(10);
  EXPECT_EQ(slices, 1 + (1 + 50 + 50 + 1 + 9) / 10);
  EXPECT_EQ(writer.pre_images(), 0u);
}

std::vector<std::string> values_of(const std::vector<Buffer>& batches) {
  std::vector<std::string> values = lines_of(batches);
  for (std::string& value : values) value.erase(0, value.find(':') + 1);
  std::ranges::sort(values);
  return values;
}

// The types of the records that are in one of them only.
void add_types_that_differ(const std::vector<Buffer>& a, const std::vector<Buffer>& b, std::set<records::RecordType>& types) {
  std::vector<std::string> different;
  std::ranges::set_symmetric_difference(values_of(a), values_of(b), std::back_inserter(different));
  for (const std::string& value : different) types.insert(records::parse_frame(as_bytes(value))->type);
}

class SnapshotWhileChanging : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void replay(const Buffer& record) {
    const auto applied = image_.replay(record, Offset{next_});
    ASSERT_TRUE(applied.has_value()) << applied.error().to_string();
    ++next_;
  }
  // A record, a commit, or a way back.
  void change() {
    const auto pending = static_cast<std::uint64_t>(next_ - 1 - committed_);
    if (log_.prng().chance(1, 12)) {
      committed_ += static_cast<std::int64_t>(log_.prng().below(pending + 1));
      image_.set_committed(Offset{committed_});
    } else if (log_.prng().chance(1, 12)) {
      next_ -= static_cast<std::int64_t>(log_.prng().below(pending + 1));
      image_.revert_to(Offset{next_ - 1});
      ++reverts_;
    } else {
      replay(log_.prng().chance(1, 3) ? log_.next(image_) : log_.next_beside_topics(image_));
    }
  }
  void settle() {
    if (image_.in_transaction()) replay(frame(records::EndTransactionRecord{}));
  }

  RandomLog log_{GetParam()};
  Image image_;
  std::int64_t next_ = 0;
  std::int64_t committed_ = -1;
  int reverts_ = 0;
};

TEST_P(SnapshotWhileChanging, ItIsTheImageAtItsBeginning) {
  replay(frame(records::FeatureLevelRecord{"metadata.version", 30}));
  committed_ = 0;
  image_.set_committed(Offset{0});
  for (int step = 0; step < 300; ++step) replay(log_.next(image_));
  std::set<records::RecordType> changed;
  std::size_t most_pre_images = 0;
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 30; ++step) change();
    settle();
    const std::vector<Buffer> expected = write_snapshot(image_, meta);
    std::vector<Buffer> batches;
    for (SnapshotWriter writer(image_, meta); !writer.done();) {
      std::ranges::move(writer.next(1 + log_.prng().below(12)), std::back_inserter(batches));
      most_pre_images = std::max(most_pre_images, writer.pre_images());
      if (writer.done()) {
        ASSERT_EQ(writer.pre_images(), 0u);
      }
      for (std::uint64_t step = log_.prng().below(8); step > 0; --step) change();
    }
    const std::vector<std::string> got = lines_of(batches);
    const std::vector<std::string> want = lines_of(expected);
    const auto [a, b] = std::ranges::mismatch(got, want);
    ASSERT_EQ(a == got.end() ? "its end" : *a, b == want.end() ? "its end" : *b) << "round " << round;
    settle();
    add_types_that_differ(expected, write_snapshot(image_, meta), changed);
  }
  EXPECT_EQ(changed.size(), 11u) << "every family has changed";
  EXPECT_GT(most_pre_images, 5u);
  EXPECT_GT(reverts_, 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotWhileChanging, ::testing::Range<std::uint64_t>(100, 116));

}  // namespace
}  // namespace hayward::core::testing

// What recovery makes of a directory: torn tails are cut, damage is named and nothing is changed, files that
// Java left are taken as they are.
#include <algorithm>

#include "log/epoch_checkpoint.h"
#include "log/flush_mark.h"
#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

class RecoveryTest : public LogTest {
 protected:
  static constexpr std::string_view log_name = "00000000000000000000.log";

  // A log of `count` batches, closed in order; no log is open after it.
  void make_log(std::int32_t count, std::int32_t epoch = 1) {
    must_open();
    append_many(count, epoch);
    close();
    one = make_batch(0, 1)->bytes.size();
  }
  std::string content(std::string_view name) const { return disk.content(path(name)); }
  void put(std::string_view name, std::string_view text) { disk.put(path(name), text); }
  // Every file of the partition by name and content.
  std::vector<std::pair<std::string, std::string>> everything() {
    std::vector<std::string> names;
    EXPECT_EQ(disk.list(partition, names), 0);
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& name : names) all.emplace_back(name, content(name));
    return all;
  }
  void without_mark() { put("flush-mark", ""); }

  std::size_t one = 0;  // bytes of one batch
};

TEST_F(RecoveryTest, ATornTailAboveTheMarkIsCut) {
  make_log(10);
  std::string torn(as_text(make_batch(10, 1)->bytes));
  for (const std::size_t length : {std::size_t{1}, std::size_t{60}, torn.size() - 1}) {
    put(log_name, content(log_name) + torn.substr(0, length));
    must_open();
    EXPECT_EQ(log->state().end, Offset{10}) << length;
    ASSERT_EQ(log->notes().size(), 1u);
    EXPECT_NE(log->notes()[0].find("torn"), std::string::npos);
    EXPECT_EQ(disk.durable_content(path(log_name)).size(), 10 * one);
    close();
  }
}

TEST_F(RecoveryTest, TrailingZeroesAreCut) {
  make_log(3);
  put(log_name, content(log_name) + std::string(100'000, '\0'));
  must_open();
  EXPECT_EQ(log->state().end, Offset{3});
}

TEST_F(RecoveryTest, AWholeBatchAboveTheMarkIsKept) {
  make_log(10);
  put(log_name, content(log_name) + std::string(as_text(make_batch(10, 1)->bytes)));
  must_open();
  EXPECT_EQ(log->state().end, Offset{11});
  EXPECT_TRUE(log->notes().empty());
}

TEST_F(RecoveryTest, EveryFlippedByteBelowTheMarkIsFoundAndNothingIsChanged) {  // cases.md row 56
  make_log(4);
  const std::string good = content(log_name);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    put(log_name, bad);
    const auto before = everything();
    const std::string error = open();
    const std::size_t batch = at / one;
    ASSERT_NE(error, "") << "byte " << at;
    new_port();
    EXPECT_EQ(everything(), before);
    // A wrong epoch in the very first batch shows at the second only.
    if (at >= batch_format::epoch_at && at < batch_format::magic_at) continue;
    EXPECT_NE(error.find("offsets " + std::to_string(batch) + " to 3 are lost"), std::string::npos) << at << ": " << error;
    EXPECT_NE(error.find("at byte " + std::to_string(batch * one)), std::string::npos) << error;
  }
}

TEST_F(RecoveryTest, DamageIsGivenUpOnlyByOrder) {
  make_log(10);
  std::string bad = content(log_name);
  bad[5 * one + 30] ^= 1;
  put(log_name, bad);
  EXPECT_NE(open(), "");
  new_port();
  options.accept_data_loss = true;
  must_open();
  EXPECT_EQ(log->state().end, Offset{5});
  ASSERT_EQ(log->notes().size(), 2u);
  EXPECT_NE(log->notes()[0].find("from 5 to 10"), std::string::npos) << log->notes()[0];
  append_many(1, 2, 20, true);
  close();
  options.accept_data_loss = false;
  must_open();
  EXPECT_EQ(log->state().end, Offset{6});
}

// S2: what was flushed may have been acknowledged by others on this node's word.
TEST_F(RecoveryTest, WhatWasGivenUpIsRememberedUntilItIsThereAgain) {
  make_log(10);
  std::string bad = content(log_name);
  bad[5 * one + 30] ^= 1;
  put(log_name, bad);
  options.accept_data_loss = true;
  must_open();
  EXPECT_EQ(log->state().refetch_to, Offset{10});
  append_many(4, 2, 20, true);
  close();
  options.accept_data_loss = false;
  must_open();
  EXPECT_EQ(log->state().end, Offset{9});
  EXPECT_EQ(log->state().refetch_to, Offset{10});
  append_many(1, 2, 30, true);
  close();
  must_open();
  EXPECT_EQ(log->state().refetch_to, Offset{0});
  close();
  put("lost-data", "refetch to offset x\n");
  EXPECT_NE(open().find("lost-data"), std::string::npos);
}

TEST_F(RecoveryTest, AShorterFileThanTheMarkSaysIsDamage) {
  make_log(10);
  put(log_name, content(log_name).substr(0, 7 * one));
  const std::string error = open();
  EXPECT_NE(error.find("flush mark: 10"), std::string::npos) << error;
  EXPECT_NE(error.find("offsets 7 to 9 are lost"), std::string::npos) << error;
}

TEST_F(RecoveryTest, AMissingLogIsDamage) {
  make_log(10);
  disk.put(path(log_name), "");
  EXPECT_NE(open().find("offsets 0 to 9 are lost"), std::string::npos);
}

TEST_F(RecoveryTest, ATornGroupWithAWholeBatchBehindIsCut) {
  make_log(10);
  // One write of three batches of which the middle one did not reach the disk.
  put(log_name, content(log_name) + std::string(as_text(make_batch(10, 1)->bytes)) + std::string(one, '\0') +
                    std::string(as_text(make_batch(12, 1)->bytes)));
  must_open();
  EXPECT_EQ(log->state().end, Offset{11});
}

TEST_F(RecoveryTest, WithoutAMarkAValidBatchAfterABadOneIsDamage) {
  make_log(10);
  std::string bad = content(log_name);
  bad[5 * one + 30] ^= 1;
  put(log_name, bad);
  without_mark();
  const std::string error = open();
  EXPECT_NE(error.find("offsets 5 to 9 are lost"), std::string::npos) << error;
  EXPECT_NE(error.find("valid again at byte " + std::to_string(6 * one)), std::string::npos) << error;
}

TEST_F(RecoveryTest, WithoutAMarkABadEndIsCutAsJavaDoes) {
  make_log(10);
  std::string bad = content(log_name);
  bad[9 * one + 30] ^= 1;
  put(log_name, bad);
  without_mark();
  must_open();
  EXPECT_EQ(log->state().end, Offset{9});
}

TEST_F(RecoveryTest, AFarValidBatchCannotBeOfTheSameWrite) {
  make_log(3);
  const std::string tail(as_text(make_batch(3, 1, 1, 1'100'000)->bytes));
  std::string bad = tail;
  bad[100] ^= 1;
  put(log_name, content(log_name) + bad + std::string(as_text(make_batch(4, 1)->bytes)));
  EXPECT_NE(open().find("offsets 3 to 4 are lost"), std::string::npos);
}

TEST_F(RecoveryTest, AMarkThatAnotherHistoryContradictsDoesNotCount) {
  make_log(10, 3);
  // A Java controller cut the log at 6 and wrote epoch 4 from there.
  std::string other = content(log_name).substr(0, 6 * one);
  other += as_text(make_first_batch(6, 4)->bytes);
  put(log_name, other);
  must_open();
  EXPECT_EQ(log->state().end, Offset{7});
  close();
  const auto mark = decode_flush_mark(as_bytes(content("flush-mark")));
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->end, Offset{7});
  EXPECT_EQ(mark->epoch, Epoch{4});
}

TEST_F(RecoveryTest, GapsAndEpochsThatFallAreDamage) {
  make_log(3, 5);
  put(log_name, content(log_name) + std::string(as_text(make_batch(4, 5)->bytes)));
  EXPECT_NE(open().find("a batch at offset 3"), std::string::npos);
  new_port();
  disk.wipe();
  disk.put_directory(directory);
  make_log(3, 5);
  put(log_name, content(log_name) + std::string(as_text(make_batch(3, 4)->bytes)));
  EXPECT_NE(open().find("expected epoch 5 (before it: 5), found epoch 4"), std::string::npos);
}

TEST_F(RecoveryTest, ASegmentThatIsMissingIsDamage) {
  options.segment_bytes = 500;
  make_log(20);
  std::vector<std::string> names;
  disk.list(partition, names);
  std::vector<std::string> logs;
  std::copy_if(names.begin(), names.end(), std::back_inserter(logs), [](const auto& n) { return n.ends_with(".log"); });
  ASSERT_GE(logs.size(), 3u);
  EXPECT_EQ(disk.unlink(path(logs[1])), 0);
  EXPECT_NE(open().find("a segment that begins at offset"), std::string::npos);
}

TEST_F(RecoveryTest, BrokenIndexesAndLeftoversArePutRight) {
  options.segment_bytes = 20'000;
  make_log(400);
  const auto before = everything();
  for (const auto& [name, text] : before)
    if (name.ends_with("index")) put(name, name.starts_with("00000000000000000000.") ? "garbage" : std::string(10'485'760, '\0'));
  put("leader-epoch-checkpoint", "nonsense");
  put("quorum-state.tmp", "x");
  put("00000000000000000100-0000000001-77.checkpoint.part", "x");
  put("00000000000000000000.log.deleted", "x");
  put("00000000000000099999.index", "x");
  must_open();
  close();
  auto after = everything();
  std::erase_if(after, [](const auto& file) { return file.first == "flush-mark"; });
  auto expected = before;
  std::erase_if(expected, [](const auto& file) { return file.first == "flush-mark"; });
  EXPECT_EQ(after, expected);
}

TEST_F(RecoveryTest, AnUnknownQuorumStateIsLeftAlone) {  // cases.md row 59
  make_log(1);
  put("quorum-state", R"({"data_version":7})");
  const auto before = everything();
  EXPECT_NE(open().find("data_version 7"), std::string::npos);
  EXPECT_EQ(everything(), before);
}

TEST_F(RecoveryTest, AnotherTopicsDirectoryIsRefused) {
  make_log(1);
  put("partition.metadata", "version: 0\ntopic_id: mqYoCkkdSF6oRn4iOr-elA");
  EXPECT_NE(open().find("not a metadata log"), std::string::npos);
}

TEST_F(RecoveryTest, TheDirectoryIsLocked) {  // cases.md row 58
  must_open();
  sim::SimPort other(clock, disk, 7);
  const auto second = Log::open(other, options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, LogError::Kind::locked);
  append_many(1, 1);
  close();
  must_open();
}

TEST_F(RecoveryTest, AMissingDirectoryIsNamed) {
  options.directory = "/nowhere";
  EXPECT_NE(open().find("format it first"), std::string::npos);
}

}  // namespace
}  // namespace hayward::log

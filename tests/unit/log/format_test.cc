// Formatting: what kafka-storage 4.3.1 writes, whole or not at all.
#include "log/format_directory.h"

#include "log/meta_properties.h"
#include "schemas/batch/control.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

// Written by kafka-storage 4.3.1: format -t V0NsHWTdQzSN92EUnLJ4Ow --standalone, node 1 at
// 127.0.0.1:21931, directory id mqYoCkkdSF6oRn4iOr-elA.
constexpr std::string_view java_bootstrap =
    "00000000000000000000004700000000025c02ad26002000000000000001a22932d9b2000001a22932d9b2ffffffffffffffffffffffffff"
    "ff000000012a0000000800000003160000000000000000000000000000000000000001000000f100000000029a1572750000000000050000"
    "01a22932d9bb000001a22932d9bbffffffffffffffffffffffffffff000000063a000000012e010c00116d657461646174612e7665727369"
    "6f6e001e00005a000002014e010c0021656c696769626c652e6c65616465722e7265706c696361732e76657273696f6e0001000034000004"
    "0128010c000e67726f75702e76657273696f6e00010000340000060128010c000e73686172652e76657273696f6e0001000038000008012c"
    "010c001073747265616d732e76657273696f6e000100004000000a0134010c00147472616e73616374696f6e2e76657273696f6e00020000"
    "00000000000000070000003f000000000233f46027002000000000000001a22932d9bb000001a22932d9bbffffffffffffffffffffffffff"
    "ff000000011a00000008000000040600000000";
constexpr std::string_view java_voters =
    "00000000000000000000009a0000000002626a3297002000000002000001a22932d9ca000001a22932d9caffffffffffffffffffffffffff"
    "ff000000032a0000000800000003160000000001a22932d9c300001e00000208000000050a000000010000820100000408000000066e0000"
    "02000000019aa6280a491d485ea8467e223abf9e94020b434f4e54524f4c4c45520a3132372e302e302e3155ab0000000001000000000000"
    "0000000000030000003f0000000002317f1a5c002000000000000001a22932d9d0000001a22932d9d0ffffffffffffffffffffffffffff00"
    "0000011a00000008000000040600000000";

Buffer from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  return bytes;
}

std::vector<Buffer> default_records() {
  const std::vector<std::pair<std::string_view, std::int16_t>> levels{
      {"metadata.version", 30}, {"eligible.leader.replicas.version", 1}, {"group.version", 1},
      {"share.version", 1},     {"streams.version", 1},                  {"transaction.version", 2}};
  std::vector<Buffer> frames;
  for (const auto& [name, level] : levels) {
    records::FeatureLevelRecord record;
    record.name = name;
    record.feature_level = level;
    Buffer frame(records::framed_size(record, 0));
    Writer writer(frame);
    records::write_frame(writer, record, 0);
    frames.push_back(std::move(frame));
  }
  return frames;
}

core::Voter standalone_voter() {
  core::Voter voter;
  voter.id = NodeId{1};
  voter.directory = DirectoryId{*Uuid::parse("mqYoCkkdSF6oRn4iOr-elA")};
  voter.endpoints.push_back({"CONTROLLER", "127.0.0.1", 21931, 0});
  return voter;
}

// Batch by batch the same, but for the moments (and with them the checksums).
void expect_same_but_for_time(Bytes ours, Bytes javas) {
  ASSERT_EQ(ours.size(), javas.size());
  while (!javas.empty()) {
    const auto mine = check_batch(ours), theirs = check_batch(javas);
    ASSERT_TRUE(mine && theirs);
    const auto same_from = [&](std::size_t from, std::size_t to) {
      EXPECT_EQ(as_text(ours.subspan(from, to - from)), as_text(javas.subspan(from, to - from)));
    };
    same_from(0, batch_format::crc_at);
    same_from(batch_format::attributes_at, batch_format::attributes_at + 6);
    same_from(batch_format::attributes_at + 22, batch_format::records_at);  // after the two timestamps
    RecordIterator our_records(*mine, ours), their_records(*theirs, javas);
    while (auto record = their_records.next()) {
      auto our_record = our_records.next();
      ASSERT_TRUE(our_record);
      Arena arena;
      const auto control = theirs->is_control() ? decode_control(*record, arena) : std::unexpected(BatchError::control_type);
      EXPECT_EQ(our_record->key ? as_text(*our_record->key) : "", record->key ? as_text(*record->key) : "");
      if (!control || !std::holds_alternative<records::SnapshotHeaderRecord>(*control)) {
        EXPECT_EQ(as_text(*our_record->value), as_text(*record->value));
      }
    }
    EXPECT_FALSE(our_records.next());
    ours = ours.subspan(mine->size());
    javas = javas.subspan(theirs->size());
  }
}

TEST(FormatContent, BootstrapCheckpointAsJavaWritesIt) {
  expect_same_but_for_time(bootstrap_checkpoint(default_records(), 1'796'000'000'000), from_hex(java_bootstrap));
}

TEST(FormatContent, VotersCheckpointAsJavaWritesIt) {
  expect_same_but_for_time(voters_checkpoint(1, {standalone_voter()}, 1'796'000'000'000), from_hex(java_voters));
}

class FormatTest : public LogTest {
 protected:
  FormatTest() {
    request.cluster_id = "V0NsHWTdQzSN92EUnLJ4Ow";
    request.node_id = NodeId{1};
    request.directories = {"/data/b", "/data/a", "/m"};
    request.metadata_directory = "/m";
    request.metadata_directory_id = standalone_voter().directory;
    request.bootstrap_records = default_records();
    request.kraft_version = 1;
    request.voters = {standalone_voter()};
    request.random_seed = 5;
  }
  MetaProperties meta(std::string_view of) {
    const auto parsed = parse_meta_properties(disk.durable_content(join_path(of, "meta.properties")), "m");
    EXPECT_TRUE(parsed);
    return parsed.value_or(MetaProperties{});
  }
  FormatRequest request;
};

TEST_F(FormatTest, WritesEveryDirectory) {
  const auto work = format_directories(*port, request);
  ASSERT_TRUE(work) << work.error().to_line();
  ASSERT_EQ(work->directories.size(), 3u);
  EXPECT_EQ(work->directories[0].path, "/data/a");
  EXPECT_EQ(work->directories[0].kind, "data directory");
  EXPECT_EQ(work->directories[2].kind, "dynamic metadata voter directory");
  for (const std::string_view of : {"/data/a", "/data/b", "/m"}) {
    EXPECT_EQ(meta(of).version, 1);
    EXPECT_EQ(meta(of).cluster_id, request.cluster_id);
    EXPECT_EQ(meta(of).node_id, NodeId{1});
    EXPECT_FALSE(disk.durable_content(join_path(of, "bootstrap.checkpoint")).empty());
  }
  EXPECT_EQ(meta("/m").directory_id, request.metadata_directory_id);
  EXPECT_NE(meta("/data/a").directory_id, meta("/data/b").directory_id);
  EXPECT_FALSE(disk.durable_content(path("00000000000000000000-0000000000.checkpoint")).empty());
  EXPECT_FALSE(disk.exists("/data/a/__cluster_metadata-0"));
  must_open();
  ASSERT_EQ(log->state().snapshots.size(), 1u);
  EXPECT_EQ(log->state().end, Offset{0});
  EXPECT_TRUE(replayed().empty());
  EXPECT_EQ(snapshot_batches, 2);
}

TEST_F(FormatTest, AStaticQuorumGetsNoCheckpoint) {
  request.voters.clear();
  request.kraft_version = 0;
  const auto work = format_directories(*port, request);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->directories[2].kind, "metadata directory");
  EXPECT_FALSE(disk.exists(partition));
}

TEST_F(FormatTest, ADryRunWritesNothing) {
  const auto work = format_directories(*port, request, true);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->files.size(), 7u);
  EXPECT_FALSE(disk.exists("/data"));
}

TEST_F(FormatTest, AFormattedDirectoryIsRefusedOrLeftAlone) {
  request.directories = {"/m"};
  ASSERT_TRUE(format_directories(*port, request));
  const std::string before = disk.content("/m/meta.properties");
  request.directories = {"/m", "/data/a"};
  const auto refused = format_directories(*port, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, LogError::Kind::already_formatted);
  EXPECT_FALSE(disk.exists("/data/a"));
  request.ignore_formatted = true;
  ASSERT_TRUE(format_directories(*port, request));
  EXPECT_EQ(disk.content("/m/meta.properties"), before);
  EXPECT_TRUE(disk.exists("/data/a/meta.properties"));
}

TEST_F(FormatTest, AnotherClustersOrNodesDirectoryIsRefused) {
  request.ignore_formatted = true;
  disk.put("/data/a/meta.properties", "version=1\ncluster.id=other\nnode.id=1\n");
  EXPECT_EQ(format_directories(*port, request).error().kind, LogError::Kind::inconsistent);
  disk.put("/data/a/meta.properties", "version=1\ncluster.id=V0NsHWTdQzSN92EUnLJ4Ow\nnode.id=2\n");
  EXPECT_NE(format_directories(*port, request).error().to_line().find("node.id 1"), std::string::npos);
  disk.put("/data/a/meta.properties", "version=1\ncluster.id=V0NsHWTdQzSN92EUnLJ4Ow\nnode.id=1\ndirectory.id=mqYoCkkdSF6oRn4iOr-elA\n");
  EXPECT_NE(format_directories(*port, request).error().to_line().find("another directory"), std::string::npos);
  disk.put("/data/a/meta.properties", "version=9\n");
  EXPECT_EQ(format_directories(*port, request).error().kind, LogError::Kind::version);
  EXPECT_FALSE(disk.exists("/m/meta.properties"));
}

TEST_F(FormatTest, AFullDiskLeavesNothingBehind) {
  for (const std::uint64_t room : {0u, 600u, 1200u, 2000u, 3000u}) {
    disk.capacity_bytes = disk.used_bytes() + room;
    const auto refused = format_directories(*port, request);
    ASSERT_FALSE(refused) << room;
    EXPECT_NE(refused.error().to_line().find("ENOSPC"), std::string::npos) << refused.error().to_line();
    for (const std::string_view of : {std::string_view("/data/a"), std::string_view("/data/b"), directory, partition}) {
      std::vector<std::string> names;
      disk.list(of, names);
      std::erase(names, "__cluster_metadata-0");
      EXPECT_TRUE(names.empty()) << of << " " << room;
    }
  }
  disk.capacity_bytes = UINT64_MAX;
  EXPECT_TRUE(format_directories(*port, request));
}

TEST_F(FormatTest, AFileInTheWayIsNamed) {
  disk.put("/data/a", "a file");
  const auto refused = format_directories(*port, request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_line().find("/data/a"), std::string::npos);
}

TEST_F(FormatTest, NonsenseIsRefused) {
  request.metadata_directory = "/elsewhere";
  EXPECT_EQ(format_directories(*port, request).error().kind, LogError::Kind::invalid_argument);
  request.metadata_directory = "/m";
  request.metadata_directory_id = directory_lost;
  EXPECT_EQ(format_directories(*port, request).error().kind, LogError::Kind::invalid_argument);
  request.node_id = no_node;
  EXPECT_EQ(format_directories(*port, request).error().kind, LogError::Kind::invalid_argument);
}

}  // namespace
}  // namespace hayward::log

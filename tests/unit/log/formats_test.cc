// The small files' formats: what Kafka 4.3.1 wrote is read, what is written is what Kafka writes, and every
// other content is refused by name.
#include <gtest/gtest.h>

#include "log/epoch_checkpoint.h"
#include "log/flush_mark.h"
#include "log/index_format.h"
#include "log/meta_properties.h"
#include "log/names.h"
#include "log/quorum_state.h"
#include "schemas/batch/crc32c.h"
#include "schemas/runtime/reader.h"

namespace hayward::log {
namespace {

TEST(Names, SegmentsAndSnapshots) {
  EXPECT_EQ(segment_file_name(Offset{1234}, log_suffix), "00000000000000001234.log");
  EXPECT_EQ(parse_segment_file_name("00000000000000001234.log", log_suffix), Offset{1234});
  EXPECT_FALSE(parse_segment_file_name("00000000000000001234.log.deleted", log_suffix));
  EXPECT_FALSE(parse_segment_file_name("-0000000000000001234.log", log_suffix));
  EXPECT_FALSE(parse_segment_file_name("99999999999999999999.log", log_suffix)) << "beyond int64";
  const core::SnapshotId id{Offset{77}, Epoch{3}};
  EXPECT_EQ(snapshot_file_name(id), "00000000000000000077-0000000003.checkpoint");
  EXPECT_EQ(parse_snapshot_file_name("00000000000000000077-0000000003.checkpoint"), id);
  EXPECT_FALSE(parse_snapshot_file_name("00000000000000000077-0000000003-1.checkpoint.part"));
  EXPECT_FALSE(parse_snapshot_file_name("bootstrap.checkpoint"));
}

TEST(MetaProperties, ReadsWhatJavaWrote) {
  const auto meta = parse_meta_properties(
      "#\n#Sun Nov 29 21:25:28 UTC 2026\nnode.id=1\ndirectory.id=mqYoCkkdSF6oRn4iOr-elA\nversion=1\n"
      "cluster.id=V0NsHWTdQzSN92EUnLJ4Ow\n", "m");
  ASSERT_TRUE(meta) << meta.error().to_line();
  EXPECT_EQ(meta->version, 1);
  EXPECT_EQ(meta->node_id, NodeId{1});
  EXPECT_EQ(meta->cluster_id, "V0NsHWTdQzSN92EUnLJ4Ow");
  EXPECT_EQ(meta->directory_id->to_string(), "mqYoCkkdSF6oRn4iOr-elA");
}

TEST(MetaProperties, RoundTripWithEscapes) {
  MetaProperties meta;
  meta.cluster_id = " a=b:c#d!\\e\tf";
  meta.node_id = NodeId{7};
  EXPECT_EQ(parse_meta_properties(render_meta_properties(meta), "m"), meta);
}

TEST(MetaProperties, VersionZero) {
  const auto meta = parse_meta_properties("broker.id=4\n", "m");
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->version, 0);
  EXPECT_EQ(meta->node_id, NodeId{4});
  EXPECT_FALSE(meta->cluster_id);
}

TEST(MetaProperties, FaultsAreNamed) {
  const auto fault = [](std::string_view text) {
    const auto meta = parse_meta_properties(text, "/d/meta.properties");
    return meta ? std::string("none") : meta.error().to_line();
  };
  EXPECT_EQ(fault("version=2\n"), "/d/meta.properties: expected version=0 or version=1, found version=2; restore the file "
                                  "from a backup or format the directory anew");
  EXPECT_NE(fault("version=1\nnode.id=1\n").find("cluster.id"), std::string::npos);
  EXPECT_NE(fault("version=1\ncluster.id=x\n").find("node.id"), std::string::npos);
  EXPECT_NE(fault("version=1\ncluster.id=x\nnode.id=one\n").find("\"one\""), std::string::npos);
  EXPECT_NE(fault("version=1\ncluster.id=x\nnode.id=1\ndirectory.id=short\n").find("uuid"), std::string::npos);
  EXPECT_NE(fault("version=1\ncluster.id=x\nnode.id=1\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ\n").find("reserved"),
            std::string::npos);
  EXPECT_NE(fault("node.id=\\u00zz\n").find("line 1"), std::string::npos);
}

TEST(QuorumState, VersionOneAsJavaWritesIt) {
  const std::string json =
      R"({"leaderId":1,"leaderEpoch":12,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1})";
  const auto state = parse_quorum_state(json, "q");
  ASSERT_TRUE(state) << state.error().to_line();
  EXPECT_EQ(state->epoch, Epoch{12});
  EXPECT_EQ(state->leader, NodeId{1});
  EXPECT_EQ(state->voted, no_node);
  EXPECT_EQ(state->kraft_version, 1);
  EXPECT_EQ(render_quorum_state(*state), json);
}

TEST(QuorumState, VersionZeroAsJavaWritesIt) {
  const std::string json =
      R"({"clusterId":"","leaderId":-1,"leaderEpoch":2,"votedId":3,"appliedOffset":0,"currentVoters":[{"voterId":1},{"voterId":3}],"data_version":0})";
  const auto state = parse_quorum_state(json, "q");
  ASSERT_TRUE(state) << state.error().to_line();
  EXPECT_EQ(state->voters, (std::vector<NodeId>{NodeId{1}, NodeId{3}}));
  EXPECT_EQ(render_quorum_state(*state), json);
}

TEST(QuorumState, FaultsAreNamed) {
  const auto kind = [](std::string_view json) { return parse_quorum_state(json, "q").error().kind; };
  EXPECT_EQ(kind(R"({"leaderId":1,"leaderEpoch":1,"votedId":-1,"data_version":7})"), LogError::Kind::version);
  EXPECT_EQ(kind(""), LogError::Kind::format);
  EXPECT_EQ(kind("[]"), LogError::Kind::format);
  EXPECT_EQ(kind(R"({"leaderId":1})"), LogError::Kind::format);
  EXPECT_EQ(kind(R"({"leaderId":1,"leaderEpoch":99999999999,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1})"),
            LogError::Kind::format);
  EXPECT_EQ(kind(R"({"leaderId":1,"leaderEpoch":1,"votedId":-1,"votedDirectoryId":"A","data_version":1})"), LogError::Kind::format);
  for (const std::string impossible : {R"("leaderId":1,"leaderEpoch":2147483647,"votedId":-1)", R"("leaderId":1,"leaderEpoch":-7,"votedId":-1)",
                                       R"("leaderId":-5,"leaderEpoch":1,"votedId":-1)", R"("leaderId":1,"leaderEpoch":1,"votedId":-2)"}) {
    EXPECT_EQ(kind("{" + impossible + R"(,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1})"), LogError::Kind::format) << impossible;
  }
  EXPECT_EQ(kind(R"({"leaderId":1,"leaderEpoch":1,"votedId":-1,"currentVoters":[1],"data_version":0})"), LogError::Kind::format);
}

TEST(EpochCheckpoint, RoundTripAndFaults) {
  const std::vector<core::EpochStart> epochs{{Epoch{1}, Offset{0}}, {Epoch{4}, Offset{17}}};
  EXPECT_EQ(render_epoch_checkpoint(epochs), "0\n2\n1 0\n4 17\n");
  EXPECT_EQ(parse_epoch_checkpoint("0\n2\n1 0\n4 17\n", "e"), epochs);
  EXPECT_TRUE(parse_epoch_checkpoint("", "e")->empty());
  EXPECT_EQ(parse_epoch_checkpoint("1\n0\n", "e").error().kind, LogError::Kind::version);
  EXPECT_FALSE(parse_epoch_checkpoint("0\n2\n1 0\n", "e"));
  EXPECT_FALSE(parse_epoch_checkpoint("0\n1\n1 x\n", "e"));
  EXPECT_FALSE(parse_epoch_checkpoint("0\n2\n4 0\n1 17\n", "e"));
}

TEST(PartitionMetadata, AsJavaWritesIt) {
  EXPECT_EQ(render_partition_metadata(metadata_topic_id), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
  EXPECT_EQ(parse_partition_metadata("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ", "p"), metadata_topic_id);
  EXPECT_FALSE(parse_partition_metadata("version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ", "p"));
  EXPECT_FALSE(parse_partition_metadata("version: 0\n", "p"));
}

TEST(Index, AnEntryOnceMoreThan4096BytesPassed) {
  IndexBuilder builder;
  for (std::int32_t i = 0; i < 100; ++i) builder.add(i, i * 100, 100, 1000 + i / 50);
  ASSERT_EQ(builder.index().size(), 2u);
  EXPECT_EQ(builder.index()[0], (IndexEntry{41, 4100}));  // 41 batches are the first to exceed 4096 bytes
  EXPECT_EQ(builder.index()[1], (IndexEntry{82, 8200}));
  EXPECT_EQ(builder.time_index(), (std::vector<TimeIndexEntry>{{1000, 0}, {1001, 50}}));
  EXPECT_EQ(builder.position_before(40), 0);
  EXPECT_EQ(builder.position_before(41), 4100);
  EXPECT_EQ(builder.position_before(99), 8200);
  EXPECT_EQ(decode_index(encode_index(builder.index())), builder.index());
  EXPECT_EQ(decode_time_index(encode_time_index(builder.time_index())), builder.time_index());
  builder.truncate(8200);
  EXPECT_EQ(builder.index().size(), 1u);
}

TEST(Index, FinishAddsTheNewestTimestampOnce) {
  IndexBuilder builder;
  builder.add(0, 0, 10, 5);
  builder.finish();
  builder.finish();
  EXPECT_EQ(builder.time_index(), (std::vector<TimeIndexEntry>{{5, 0}}));
}

TEST(ProducerSnapshot, HoldsTheCrcOfItsEntries) {
  const Bytes bytes = empty_producer_snapshot();
  Reader reader(bytes);
  EXPECT_EQ(reader.read_i16(), 1);
  EXPECT_EQ(reader.read_u32(), crc32c(bytes.subspan(6)));
}

TEST(FlushMark, TheNewerIntactSlotCounts) {
  Buffer file(flush_mark_file_bytes);
  EXPECT_FALSE(decode_flush_mark(file));
  FlushMark mark{1, Offset{10}, Offset{0}, 500, Epoch{2}, 0xABCD};
  const auto put = [&](const FlushMark& m) {
    const auto slot = encode_flush_mark(m);
    std::copy(slot.begin(), slot.end(), file.begin() + static_cast<std::ptrdiff_t>(flush_mark_offset(m.sequence)));
  };
  put(mark);
  EXPECT_EQ(decode_flush_mark(file), mark);
  FlushMark next = mark;
  next.sequence = 2;
  next.end = Offset{11};
  put(next);
  EXPECT_EQ(decode_flush_mark(file), next);
  file[flush_mark_offset(2) + 20] ^= std::byte{1};
  EXPECT_EQ(decode_flush_mark(file), mark) << "a torn slot leaves the other";
  EXPECT_EQ(decode_flush_mark(Bytes(file).first(100)), std::nullopt) << "cut short below the intact slot";
}

}  // namespace
}  // namespace hayward::log

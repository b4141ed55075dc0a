// What `inspect` tells of directories: the files beside the log, how they fit together, and that nothing is touched.
#include <fcntl.h>
#include <unistd.h>

#include "log/epoch_checkpoint.h"
#include "log/flush_mark.h"
#include "log/index_format.h"
#include "log/names.h"
#include "log/quorum_state.h"
#include "tests/unit/inspect/inspect_fixture.h"

namespace hayward::tools {
namespace {

const std::string partition = "data/__cluster_metadata-0/";
const std::string second_segment = "00000000000000000004.log";

class InspectDirectoryTest : public InspectTest {
 protected:
  InspectDirectoryTest() {
    put("data/meta.properties", "version=1\ncluster.id=c\nnode.id=3000\ndirectory.id=AAAAAAAAAAEAAAAAAAAAAg\n");
    put("data/.lock", std::string());
    core::QuorumState state;
    state.epoch = Epoch{2};
    state.leader = NodeId{3000};
    state.kraft_version = 1;
    put(partition + "quorum-state", log::render_quorum_state(state));
    put(partition + "leader-epoch-checkpoint", log::render_epoch_checkpoint({{Epoch{1}, Offset{0}}, {Epoch{2}, Offset{4}}}));
    put(partition + segment_name, join({leader_change(0, 1), topics(1, 3)}));
    last = leader_change(4, 2);
    put(partition + second_segment, last);
    put_mark(Offset{5});
  }
  void put_mark(Offset end, std::int32_t epoch = 2) {
    const auto header = parse_batch_header(last);
    const auto slot = log::encode_flush_mark({2, end, Offset{4}, static_cast<std::int64_t>(last.size()), Epoch{epoch}, header->crc});
    put(partition + "flush-mark", Buffer(slot.begin(), slot.end()));
  }
  simdjson::dom::element told_of(simdjson::dom::element told, std::string_view kind, int which = 0) {
    for (const simdjson::dom::element file : told["files"].get_array())
      if (std::string_view(file["kind"]) == kind && which-- == 0) return file;
    ADD_FAILURE() << "no " << kind << " in " << text;
    return {};
  }

  Buffer last;
};

TEST_F(InspectDirectoryTest, TellsAllFilesOfALogDirectory) {
  const auto told = inspect(folder / "data/", {}, false);
  EXPECT_EQ(faults, 0u) << text;
  EXPECT_EQ(std::string_view(told_of(told, "meta.properties")["cluster_id"]), "c");
  EXPECT_EQ(std::int64_t(told_of(told, "quorum state")["epoch"]), 2);
  EXPECT_EQ(std::int64_t(told_of(told, "epochs")["epochs"].at(1)["start"]), 4);
  EXPECT_EQ(std::string_view(told_of(told, "flush mark")["fit"]), "fits");
  EXPECT_EQ(std::int64_t(told_of(told, "segment")["end_offset"]), 4);
  EXPECT_EQ(std::int64_t(told_of(told, "segment", 1)["first_offset"]), 4);
  EXPECT_EQ(std::int64_t(told_of(told, "metadata log")["end_offset"]), 5);
  EXPECT_EQ(offsets(told), std::vector<std::int64_t>{}) << "records are shown on request";
  EXPECT_EQ(offsets(inspect(folder / partition)).size(), 5u);
}

TEST_F(InspectDirectoryTest, TellsAMissingSegment) {
  std::filesystem::remove(folder / partition / segment_name);
  const auto told = inspect(folder / "data");
  ASSERT_EQ(faults, 1u) << text;
  EXPECT_NE(fault(told).find("expected a snapshot up to offset 4 or later, where the log begins, found none"), std::string::npos);
}

TEST_F(InspectDirectoryTest, TellsALogThatEndsBelowTheFlushMark) {
  put_mark(Offset{9});
  const auto told = inspect(folder / "data");
  ASSERT_EQ(faults, 1u) << text;
  EXPECT_NE(fault(told).find("expected the log to reach offset 9, which was flushed, found its end at 5"), std::string::npos);
  put_mark(Offset{9}, 1);  // epoch 2 began below it: the log was cut since
  inspect(folder / "data");
  EXPECT_EQ(faults, 0u) << text;
}

TEST_F(InspectDirectoryTest, TellsAnEpochThatBeginsElsewhere) {
  put(partition + "leader-epoch-checkpoint", log::render_epoch_checkpoint({{Epoch{1}, Offset{0}}, {Epoch{2}, Offset{3}}}));
  const auto told = inspect(folder / "data");
  ASSERT_EQ(faults, 1u) << text;
  EXPECT_NE(fault(told).find("expected epoch 2 to begin at offset 4, found 3"), std::string::npos);
}

TEST_F(InspectDirectoryTest, HoldsAnIndexAgainstTheLog) {
  const auto first = static_cast<std::int32_t>(leader_change(0, 1).size());
  const std::string index = partition + "00000000000000000000.index";
  Buffer entries = log::encode_index({{3, first}});
  entries.resize(entries.size() + 80);  // the room of a running Java
  put(index, entries);
  inspect(folder / "data");
  EXPECT_EQ(faults, 0u) << text;
  put(index, log::encode_index({{3, first + 1}}));
  EXPECT_NE(fault(inspect(folder / "data")).find("expected a position where a batch begins"), std::string::npos) << text;
  put(index, log::encode_index({{0, first}}));
  EXPECT_NE(fault(inspect(folder / "data")).find("expected an offset of the batch"), std::string::npos) << text;
  put(index, log::encode_index({{3, 100'000}}));
  EXPECT_NE(fault(inspect(folder / "data")).find("expected positions below the log's end"), std::string::npos) << text;
  put(index, log::encode_index({{3, first}, {2, first + 200}}));
  inspect(folder / "data");
  EXPECT_GE(faults, 1u) << text;
}

TEST_F(InspectDirectoryTest, TellsDamageToTheSmallFilesAndGoesOn) {
  put("data/meta.properties", "version=7\n");
  put(partition + "quorum-state", R"({"leaderId":)");
  put(partition + "leader-epoch-checkpoint", "1\n");
  put(partition + "partition.metadata", "version: 9\n");
  put(partition + "flush-mark", std::string(1024, 'x'));
  put(partition + "00000000000000000000.snapshot", "short");
  put(partition + "00000000000000000002.index", std::string());
  const auto told = inspect(folder / "data");
  EXPECT_EQ(faults, 7u) << text;
  EXPECT_EQ(offsets(told).size(), 5u);
}

TEST_F(InspectDirectoryTest, LeavesALiveDirectoryAsItIs) {
  const std::string path = folder / "data/.lock";
  EXPECT_FALSE(bool(told_of(inspect(folder / "data"), "lock")["held"]));
  const int fd = ::open(path.c_str(), O_RDWR);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(fd, F_OFD_SETLK, &lock), 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(bool(told_of(inspect(folder / "data"), "lock")["held"]));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(is_locked(path)) << "the lock is held still";
  ::close(fd);
}

TEST_F(InspectDirectoryTest, RefusesWhatIsNoLog) {
  const auto printer = make_json_printer(stderr);
  Inspector inspector(*printer, {}, false);
  std::filesystem::create_directories(folder / "empty");
  put("notes.txt", std::string("x"));
  EXPECT_FALSE(inspector.inspect(folder / "empty").has_value());
  EXPECT_FALSE(inspector.inspect(folder / "notes.txt").has_value());
  EXPECT_FALSE(inspector.inspect(folder / "none").has_value());
}

}  // namespace
}  // namespace hayward::tools

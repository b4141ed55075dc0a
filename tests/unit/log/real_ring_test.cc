// The log on io_uring and a real file system: what the simulator stands for. Append, roll, snapshot, quorum-state,
// an orderly end, an abrupt one, and each time the same log again.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "engine/host/ring/uring.h"
#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

class RealLog : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ring::create_uring({});
    if (!made) GTEST_SKIP() << "no io_uring here: " << made.error().what;
    port = std::move(*made);
    std::string pattern = (std::filesystem::temp_directory_path() / "hayward-log-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override {
    log.reset();
    port.reset();
    if (!directory.empty()) std::filesystem::remove_all(directory);
  }

  void open() {
    LogOptions options;
    options.directory = directory.string();
    options.segment_bytes = 8000;
    auto opened = Log::open(*port, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().to_line();
    log = std::move(*opened);
    log->start({.flushed = [this](Offset o) { flushed = o.value; },
                .quorum_state_persisted = [this](std::uint64_t token) { persisted = token; },
                .snapshot_chunk_written = {},
                .snapshot_written = [this](core::SnapshotId, bool ok, std::int64_t size) { snapshot_bytes = ok ? size : -1; },
                .log_start_moved = {},
                .failed = [this](std::string reason) { failure = std::move(reason); },
                .note = {}});
  }
  void run_until(const std::function<bool()>& done) {
    while (!done() && failure.empty()) port->run_once(true);
    ASSERT_EQ(failure, "");
  }
  void close() {
    bool closed = false;
    log->close([&closed] { closed = true; });
    run_until([&closed] { return closed; });
    log.reset();
  }
  // In a process of its own, which ends without a word once all is flushed.
  void live_and_die(const std::vector<BatchPtr>& batches, const core::QuorumState& state) {
    auto made = ring::create_uring({});
    if (!made) _exit(1);
    port = std::move(*made);
    open();
    log->persist_quorum_state(state, 7);
    for (const BatchPtr& batch : batches) log->append(batch);
    run_until([&] { return flushed == batches.back()->last.value + 1 && persisted == 7; });
    _exit(HasFailure() ? 1 : 0);
  }
  // The log from its start, as bytes; what the snapshot gives is counted.
  Buffer replayed() {
    Buffer all;
    snapshot_batches = 0;
    const auto done = log->replay_now(
        [this](Bytes) {
          ++snapshot_batches;
          return std::expected<void, std::string>();
        },
        [&all](Bytes batch) {
          all.insert(all.end(), batch.begin(), batch.end());
          return std::expected<void, std::string>();
        });
    EXPECT_TRUE(done.has_value()) << done.error();
    return all;
  }
  std::size_t files_that_end_with(std::string_view suffix) const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory / partition_directory_name))
      if (entry.path().filename().string().ends_with(suffix)) ++count;
    return count;
  }

  std::filesystem::path directory;
  std::unique_ptr<ring::Port> port;
  std::unique_ptr<Log> log;
  std::int64_t flushed = 0;
  std::uint64_t persisted = 0;
  std::int64_t snapshot_bytes = 0;
  int snapshot_batches = 0;
  std::string failure;
};

TEST_F(RealLog, IsTheSameAfterEveryEnd) {
  core::QuorumState state;
  state.epoch = Epoch{1};
  std::vector<BatchPtr> batches = {make_first_batch(0, 1)};
  for (std::int64_t base = 1; base < 60; ++base) batches.push_back(make_batch(base, 1, 1, 500));
  Buffer written;
  for (const BatchPtr& batch : batches) written.insert(written.end(), batch->bytes.begin(), batch->bytes.end());
  ASSERT_EXIT(live_and_die(batches, state), testing::ExitedWithCode(0), "");
  EXPECT_GE(files_that_end_with(log_suffix), 4u) << "it rolls";

  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_EQ(log->state().end, Offset{60});
  ASSERT_TRUE(log->state().quorum_state);
  EXPECT_EQ(*log->state().quorum_state, state);
  EXPECT_EQ(replayed(), written);
  log->write_snapshot({{Offset{40}, Epoch{1}}, 1'750'000'000'000, make_snapshot_batches(1, 1'750'000'000'000)});
  run_until([this] { return snapshot_bytes != 0; });
  EXPECT_GT(snapshot_bytes, 0);
  log->truncate(Offset{55});
  const BatchPtr other = make_batch(55, 1, 2);
  log->append(other);
  flushed = 0;
  run_until([this] { return flushed == 57; });
  close();

  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_EQ(log->state().end, Offset{57});
  ASSERT_EQ(log->state().snapshots.size(), 1u);
  EXPECT_EQ(log->state().snapshots[0].size, snapshot_bytes);
  Buffer kept;
  batches.resize(55);
  batches.push_back(other);
  for (std::size_t i = 40; i < batches.size(); ++i)
    kept.insert(kept.end(), batches[i]->bytes.begin(), batches[i]->bytes.end());
  EXPECT_EQ(replayed(), kept) << "from the snapshot's end on";
  EXPECT_EQ(snapshot_batches, 3);
  close();
}

}  // namespace
}  // namespace hayward::log

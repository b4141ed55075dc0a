// A follower's download of its leader's snapshot that does not go through at once: the leader dies half way, or has the
// snapshot no longer, or another leads before the last piece is on the disk.
#include <gtest/gtest.h>

#include "engine/core/raft/raft_view.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/fetch_snapshot_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using namespace messages;
using Lines = std::vector<std::string>;

// A snapshot as another controller made it, whose id ends at another offset with each `ms`.
std::pair<SnapshotId, Buffer> snapshot_after(std::int64_t ms) {
  Machine maker({.format = Format::static_voters, .snapshot_bytes = 1});
  maker.bring_up();
  maker.pass_ms(ms);
  maker.settle();
  const Disk::Snapshot& made = maker.disk.snapshots.back();
  Buffer bytes;
  for (const Buffer& batch : made.batches) bytes.insert(bytes.end(), batch.begin(), batch.end());
  return {made.id, bytes};
}

class Download : public testing::Test {
 protected:
  Download() : machine({.voters = 3}) {
    machine.bring_up();
    first_fetch = led_by(2, 7);
    machine.peer_fails(NodeId{3}, FetchResponse::api_key, false);  // whom it had asked who leads
    machine.pass_ms(200);
    std::tie(id, bytes) = snapshot_after(500);
    half = static_cast<std::int64_t>(bytes.size() / 2);
  }

  // What the last event asked of other voters, and had written of a snapshot.
  Lines sent() {
    Lines lines;
    for (const Effect& effect : machine.effects()) {
      const auto* send = std::get_if<SendToPeer>(&effect);
      if (send != nullptr &&
          (send->api_key == FetchResponse::api_key || send->api_key == FetchSnapshotResponse::api_key)) {
        lines.push_back(describe(effect));
      }
      if (std::holds_alternative<WriteSnapshotPart>(effect)) lines.push_back(describe(effect));
    }
    return lines;
  }
  // Another voter leads.
  Lines led_by(int leader, int epoch) {
    BeginQuorumEpochRequest request;
    BeginQuorumEpochRequest::PartitionData partition;
    partition.leader_id = NodeId{leader};
    partition.leader_epoch = Epoch{epoch};
    raft::add_metadata_partition(request, partition, arena);
    request.leader_endpoints.push_back(arena, {"CONTROLLER", "host-x", 9093});
    machine.ask(1, request);
    machine.persist();
    return sent();
  }
  Lines redirected_by(int leader, SnapshotId snapshot) {
    FetchResponse response;
    FetchResponse::PartitionData partition;
    partition.current_leader = {NodeId{leader}, machine.node().view().epoch};
    partition.snapshot_id = {snapshot.end, snapshot.epoch};
    partition.records = Bytes{};
    FetchResponse::FetchableTopicResponse topic;
    topic.topic_id = metadata_topic_id;
    topic.partitions.push_back(arena, partition);
    response.responses.push_back(arena, topic);
    machine.peer_answers(NodeId{leader}, response);
    return sent();
  }
  Lines answered_by(int leader, FetchSnapshotResponse::PartitionSnapshot partition) {
    partition.current_leader = {NodeId{leader}, machine.node().view().epoch};
    FetchSnapshotResponse response;
    FetchSnapshotResponse::TopicSnapshot topic;
    topic.name = "__cluster_metadata";
    topic.partitions.push_back(arena, partition);
    response.topics.push_back(arena, topic);
    machine.peer_answers(NodeId{leader}, response);
    return sent();
  }
  Lines piece_from(int leader, std::int64_t from, std::int64_t to) {
    FetchSnapshotResponse::PartitionSnapshot partition;
    partition.snapshot_id = {id.end, id.epoch};
    partition.size = static_cast<std::int64_t>(bytes.size());
    partition.position = from;
    partition.unaligned_records =
        Bytes(bytes).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
    return answered_by(leader, partition);
  }
  Lines refused_by(int leader, ErrorCode error) {
    FetchSnapshotResponse::PartitionSnapshot partition;
    partition.error_code = error;
    partition.unaligned_records = Bytes{};
    return answered_by(leader, partition);
  }
  Lines on_the_disk(bool last) {
    machine.step(SnapshotPartWritten{.id = id, .ok = true, .installed = last});
    return sent();
  }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }
  std::string named() const { return std::to_string(id.end.value) + "-" + std::to_string(id.epoch.value); }
  std::string asks(int leader, std::int64_t position) const {
    return "send to " + std::to_string(leader) + ": FetchSnapshot v1 " + named() + " from byte " +
           std::to_string(position);
  }
  std::string writes(std::int64_t from, std::int64_t to) const {
    return "write " + std::to_string(to - from) + " bytes of snapshot " + named() + " from " + std::to_string(from) +
           (to == size() ? ", the last" : "");
  }
  std::string fetches_on(int leader, int epoch) const {
    return "send to " + std::to_string(leader) + ": Fetch v18 from " + std::to_string(id.end.value) + " after epoch " +
           std::to_string(id.epoch.value) + ", in epoch " + std::to_string(epoch) + ", high watermark " +
           std::to_string(id.end.value);
  }
  static std::string begins_anew(int leader, int epoch) {
    return "send to " + std::to_string(leader) + ": Fetch v18 from 0 after epoch 0, in epoch " + std::to_string(epoch) +
           ", high watermark 0";
  }

  Machine machine;
  Arena arena;
  Lines first_fetch;
  SnapshotId id{};
  Buffer bytes;
  std::int64_t half = 0;
};

TEST_F(Download, GoesThrough) {
  EXPECT_EQ(first_fetch, Lines{begins_anew(2, 7)});
  EXPECT_EQ(redirected_by(2, id), Lines{asks(2, 0)});
  EXPECT_EQ(piece_from(2, 0, half), Lines{writes(0, half)});
  EXPECT_EQ(on_the_disk(false), Lines{asks(2, half)});
  EXPECT_EQ(piece_from(2, half, size()), Lines{writes(half, size())});
  EXPECT_EQ(on_the_disk(true), Lines{fetches_on(2, 7)});
}

// The next leader's snapshot of the same name may be another program's: it is not the rest of this one.
TEST_F(Download, BeginsAnewWithTheNextLeader) {
  redirected_by(2, id);
  piece_from(2, 0, half);
  on_the_disk(false);
  EXPECT_EQ(led_by(3, 8), Lines{begins_anew(3, 8)});
  EXPECT_EQ(redirected_by(3, id), Lines{asks(3, 0)});
  EXPECT_EQ(piece_from(3, 0, size()), Lines{writes(0, size())});
  EXPECT_EQ(on_the_disk(true), Lines{fetches_on(3, 8)});
}

// And the node is still one that fetches, and from the old position, when a piece was on its way to the disk.
TEST_F(Download, APieceThatIsBeingWrittenIsWaitedFor) {
  redirected_by(2, id);
  piece_from(2, 0, half);
  EXPECT_EQ(led_by(3, 8), Lines{});
  EXPECT_EQ(on_the_disk(false), Lines{begins_anew(3, 8)});
  EXPECT_EQ(redirected_by(3, id), Lines{asks(3, 0)});
}

// What the new leader sent before that would be replaced with the rest of the log, though it had been acknowledged
// (R8).
TEST_F(Download, NothingIsFetchedWhileTheLogIsReplaced) {
  redirected_by(2, id);
  piece_from(2, 0, size());
  EXPECT_EQ(led_by(3, 8), Lines{});
  machine.pass_ms(100);
  EXPECT_EQ(sent(), Lines{});
  EXPECT_EQ(on_the_disk(true), Lines{fetches_on(3, 8)});
}

class Superseded : public Download, public testing::WithParamInterface<ErrorCode> {};

// The leader made a newer one and removed this one, or says so in other words: its next Fetch answer names the newer
// one.
TEST_P(Superseded, ByANewerOne) {
  redirected_by(2, id);
  piece_from(2, 0, half);
  on_the_disk(false);
  refused_by(2, GetParam());
  machine.pass_ms(150);
  EXPECT_EQ(sent(), Lines{begins_anew(2, 7)});
  const SnapshotId older = id;
  std::tie(id, bytes) = snapshot_after(5000);
  ASSERT_LT(older, id);
  EXPECT_EQ(redirected_by(2, id), Lines{asks(2, 0)});
  EXPECT_EQ(piece_from(2, 0, size()), Lines{writes(0, size())});
  EXPECT_EQ(on_the_disk(true), Lines{fetches_on(2, 7)});
}

INSTANTIATE_TEST_SUITE_P(Answers, Superseded,
                         testing::Values(ErrorCode::snapshot_not_found, ErrorCode::position_out_of_range,
                                         ErrorCode::unknown_server_error));

TEST_F(Download, AFullDiskIsTriedAgain) {
  redirected_by(2, id);
  piece_from(2, 0, half);
  machine.step(SnapshotPartWritten{.id = id, .ok = false, .installed = false});
  EXPECT_EQ(sent(), Lines{begins_anew(2, 7)});
  EXPECT_EQ(redirected_by(2, id), Lines{asks(2, 0)});
}

}  // namespace
}  // namespace hayward::core

// Voters that come, go and move (AddRaftVoter, RemoveRaftVoter, UpdateRaftVoter), from both ends: the leader that tries an
// address before the log has it, and the controller that asks for its place.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/raft/raft_view.h"
#include "engine/core/voter_probe.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr NodeId newcomer{2};
const DirectoryId its_directory{Uuid{8, 8}};

class Voters : public testing::Test {
 protected:
  void SetUp() override { machine.bring_up(); }

  // The newcomer fetches from the end of the log: it has all of it.
  void catch_up() {
    FetchRequest request;
    request.replica_state.replica_id = newcomer;
    FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    FetchRequest::FetchPartition partition;
    partition.fetch_offset = machine.disk.end();
    partition.current_leader_epoch = partition.last_fetched_epoch = machine.node().view().epoch;
    partition.replica_directory_id = its_directory;
    topic.partitions.push_back(arena, partition);
    request.topics.push_back(arena, topic);
    machine.ask(2, request);
  }
  AddRaftVoterRequest add(bool ack_when_committed = true) {
    AddRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.voter_id = newcomer;
    request.voter_directory_id = its_directory;
    request.listeners.push_back(arena, {"CONTROLLER", "host-2", 9093});
    request.ack_when_committed = ack_when_committed;
    return request;
  }
  UpdateRaftVoterRequest update(std::string_view host) {
    UpdateRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.current_leader_epoch = machine.node().view().epoch;
    request.voter_id = newcomer;
    request.voter_directory_id = its_directory;
    request.listeners.push_back(arena, {"CONTROLLER", host, 9093});
    request.kraft_version_feature = {0, 1};
    return request;
  }
  RemoveRaftVoterRequest remove(NodeId id, DirectoryId directory) {
    RemoveRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.voter_id = id;
    request.voter_directory_id = directory;
    return request;
  }
  // It is found where the request says, and supports kraft.version up to `highest`.
  void is_found(std::int16_t highest) {
    ApiVersionsResponse response;
    ApiVersionsResponse::SupportedFeatureKey feature;
    feature.name = "kraft.version";
    feature.max_version = highest;
    if (highest > 0) response.supported_features.push_back(arena, feature);
    machine.peer_answers(probe_peer, response);
  }
  void become_two() {
    catch_up();
    machine.ask(1, add());
    is_found(1);
    machine.flush();
    catch_up();
    ASSERT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::none);
  }
  std::string last_batch() { return describe_batch(machine.disk.batches.back()->bytes); }

  Machine machine;
  Arena arena;
};

TEST_F(Voters, AVoterIsAddedOnceItIsFoundAndAnsweredOnceItIsCommitted) {
  catch_up();
  const Offset end = machine.disk.end();
  machine.ask(1, add());
  EXPECT_FALSE(machine.answered(1));
  EXPECT_EQ(machine.disk.end(), end) << "not before it is found";
  is_found(1);
  EXPECT_EQ(last_batch(), "Voters 1@CONTROLLER://host-1:9093 2@CONTROLLER://host-2:9093");
  machine.flush();
  EXPECT_FALSE(machine.answered(1)) << "the majority is both of them now";
  catch_up();
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::none);
}

TEST_F(Voters, WhoCannotBeFoundIsNotAdded) {
  catch_up();
  const Offset end = machine.disk.end();
  machine.ask(1, add());
  machine.peer_fails(probe_peer, ApiVersionsResponse::api_key, true);
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::request_timed_out);
  machine.ask(1, add());
  is_found(0);
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::invalid_request) << "kraft.version 0 only";
  EXPECT_EQ(machine.disk.end(), end);
}

TEST_F(Voters, WhoNeverAnswersIsWaitedForTwoSeconds) {
  catch_up();
  machine.ask(1, add());
  machine.pass_ms(1900);
  EXPECT_FALSE(machine.answered(1));
  machine.pass_ms(200);
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::request_timed_out);
}

TEST_F(Voters, WhoLagsIsNotAdded) {
  machine.ask(1, add());
  is_found(1);
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::request_timed_out);
  EXPECT_EQ(machine.node().view().log_end, machine.disk.end());
}

TEST_F(Voters, OneChangeAtATime) {
  catch_up();
  machine.ask(1, add());
  machine.ask(3, add());
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(3)->error_code, ErrorCode::request_timed_out);
  is_found(1);
  machine.ask(3, remove(newcomer, its_directory));  // the first is not committed
  EXPECT_EQ(machine.answer<RemoveRaftVoterResponse>(3)->error_code, ErrorCode::request_timed_out);
}

TEST_F(Voters, AnAnswerAtAppendIfAskedFor) {
  catch_up();
  machine.ask(1, add(false));
  is_found(1);
  EXPECT_EQ(machine.answer<AddRaftVoterResponse>(1)->error_code, ErrorCode::none);
  EXPECT_EQ(last_batch(), "Voters 1@CONTROLLER://host-1:9093 2@CONTROLLER://host-2:9093");
}

TEST_F(Voters, ALeaderThatRemovesItselfResignsOnceThatIsCommitted) {
  become_two();
  machine.ask(1, remove(NodeId{1}, machine.config.directory_id));
  EXPECT_EQ(last_batch(), "Voters 2@CONTROLLER://host-2:9093");
  machine.flush();
  EXPECT_FALSE(machine.answered(1)) << "its own disk does not count any more";
  EXPECT_EQ(machine.node().view().leader, NodeId{1});
  catch_up();
  EXPECT_EQ(machine.answer<RemoveRaftVoterResponse>(1)->error_code, ErrorCode::none);
  EXPECT_FALSE(machine.node().view().active);
}

// It has the longest log, with its own removal as the last record, and nobody else can win without its vote.
TEST_F(Voters, ALeaderThatRemovedItselfStandsAgainWhileThatIsNotCommitted) {
  become_two();
  machine.ask(1, remove(NodeId{1}, machine.config.directory_id));
  machine.flush();
  ASSERT_TRUE(machine.restart());
  machine.start();
  machine.settle();
  EndQuorumEpochResponse heard;
  raft::add_metadata_partition(heard, {}, arena);
  machine.peer_answers(newcomer, heard);
  const auto stands = [&] {
    return std::ranges::any_of(machine.effects(), [](const Effect& effect) {
      const auto* send = std::get_if<SendToPeer>(&effect);
      return send != nullptr && send->api_key == VoteRequest::api_key && send->peer == newcomer;
    });
  };
  bool stood = false;
  for (int i = 0; i < 50 && !stood; ++i) {
    machine.pass_ms(100);
    stood = stands();
    machine.settle();
  }
  ASSERT_TRUE(stood);
  VoteResponse vote;
  VoteResponse::PartitionData partition;
  partition.leader_id = no_node;
  partition.leader_epoch = machine.node().view().epoch;
  partition.vote_granted = true;
  raft::add_metadata_partition(vote, partition, arena);
  machine.peer_answers(newcomer, vote);  // the pre-vote
  machine.settle();
  vote.topics[0].partitions[0].leader_epoch = machine.node().view().epoch;
  machine.peer_answers(newcomer, vote);
  machine.settle();
  EXPECT_EQ(machine.node().view().leader, NodeId{1});
  EXPECT_EQ(last_batch(), "LeaderChange v0 leader 1 voters [2]") << "R14: its removal stands, or there would be two changes";
}

// cases.md row 82: an address that leads nowhere never reaches the log.
TEST_F(Voters, AnAddressThatLeadsNowhereIsRefused) {
  become_two();
  const Offset end = machine.disk.end();
  machine.ask(1, update("nowhere"));
  machine.peer_fails(probe_peer, ApiVersionsResponse::api_key, true);
  EXPECT_EQ(machine.answer<UpdateRaftVoterResponse>(1)->error_code, ErrorCode::request_timed_out);
  EXPECT_EQ(machine.disk.end(), end);
  machine.ask(1, update("host-3"));
  is_found(1);
  EXPECT_EQ(last_batch(), "Voters 1@CONTROLLER://host-1:9093 2@CONTROLLER://host-3:9093");
  machine.flush();
  catch_up();
  EXPECT_EQ(machine.answer<UpdateRaftVoterResponse>(1)->error_code, ErrorCode::none);
  // What is so already needs no record.
  const Offset now = machine.disk.end();
  machine.ask(1, update("host-3"));
  machine.flush();
  EXPECT_EQ(machine.answer<UpdateRaftVoterResponse>(1)->error_code, ErrorCode::none);
  EXPECT_EQ(machine.disk.end(), now);
}

// The second of three configured voters; it follows 2.
class Follower : public testing::Test {
 protected:
  void follow() {
    ASSERT_TRUE(machine.boot());
    machine.start();
    BeginQuorumEpochRequest request;
    BeginQuorumEpochRequest::PartitionData partition;
    partition.leader_id = NodeId{2};
    partition.leader_epoch = Epoch{5};
    raft::add_metadata_partition(request, partition, arena);
    request.leader_endpoints.push_back(arena, {"CONTROLLER", "host-2", 9093});
    machine.ask(1, request);
    machine.settle();
    fetched();
  }
  void fetched() {
    FetchResponse response;
    FetchResponse::PartitionData fetched;
    fetched.high_watermark = Offset{0};
    FetchResponse::FetchableTopicResponse fetched_topic;
    fetched_topic.topic_id = metadata_topic_id;
    fetched_topic.partitions.push_back(arena, fetched);
    response.responses.push_back(arena, fetched_topic);
    machine.peer_answers(NodeId{2}, response);
  }
  bool asks(std::int16_t api_key) {
    return std::ranges::any_of(machine.effects(), [&](const Effect& effect) {
      const auto* send = std::get_if<SendToPeer>(&effect);
      return send != nullptr && send->api_key == api_key;
    });
  }
  Arena arena;
  Machine machine{{.voters = 3}};
};

// cases.md row 89, the voters' half: without it the leader could never raise kraft.version.
TEST_F(Follower, TellsEachLeaderOnceWhereItIs) {
  follow();
  EXPECT_TRUE(asks(UpdateRaftVoterRequest::api_key));
  machine.peer_answers(NodeId{2}, UpdateRaftVoterResponse{});
  machine.pass_ms(1900);
  EXPECT_FALSE(asks(UpdateRaftVoterRequest::api_key));
}

TEST_F(Follower, TellsItAgainIfItWasNotTaken) {
  follow();
  UpdateRaftVoterResponse refused;
  refused.error_code = ErrorCode::request_timed_out;
  machine.peer_answers(NodeId{2}, refused);
  EXPECT_FALSE(asks(UpdateRaftVoterRequest::api_key));
  machine.pass_ms(1500);
  EXPECT_FALSE(asks(UpdateRaftVoterRequest::api_key));
  fetched();
  machine.pass_ms(600);
  EXPECT_TRUE(asks(UpdateRaftVoterRequest::api_key));
}

}  // namespace
}  // namespace hayward::core

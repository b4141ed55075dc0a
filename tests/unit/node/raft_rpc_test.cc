// Vote, BeginQuorumEpoch, EndQuorumEpoch, Add-, Remove- and UpdateRaftVoter to a leader that is the only voter:
// whatever they say, it stays what it is, and answers nothing that would end a Java peer.
#include <gtest/gtest.h>

#include "tests/node_machine/machine.h"
#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr NodeId stranger{77};
constexpr std::string_view topic_name = "__cluster_metadata";

class RaftRpc : public ::testing::Test {
 protected:
  RaftRpc() {
    machine.bring_up();
    epoch = machine.node().view().epoch;
  }
  ~RaftRpc() override {
    const NodeView view = machine.node().view();
    EXPECT_EQ(view.epoch, epoch);
    EXPECT_EQ(view.leader, NodeId{1});
    EXPECT_TRUE(view.active);
    EXPECT_EQ(machine.failure(), "");
  }

  VoteRequest vote(std::int32_t candidate_epoch) {
    VoteRequest request;
    request.cluster_id = test_cluster;
    VoteRequest::PartitionData partition;
    partition.replica_id = stranger;
    partition.replica_epoch = Epoch{candidate_epoch};
    partition.last_offset_epoch = Epoch{0};
    partition.last_offset = Offset{1'000'000};
    VoteRequest::TopicData topic;
    topic.topic_name = topic_name;
    topic.partitions.push_back(arena, partition);
    request.topics.push_back(arena, topic);
    return request;
  }
  VoteRequest::PartitionData& of(VoteRequest& request) { return request.topics[0].partitions[0]; }

  template <class Request>
  Request claim(NodeId leader, std::int32_t leader_epoch) {
    Request request;
    request.cluster_id = test_cluster;
    typename Request::PartitionData partition;
    partition.leader_id = leader;
    partition.leader_epoch = Epoch{leader_epoch};
    typename Request::TopicData topic;
    topic.topic_name = topic_name;
    topic.partitions.push_back(arena, partition);
    request.topics.push_back(arena, topic);
    return request;
  }

  // The answer's partition, or its top-level error in one.
  template <class Response, class Request>
  typename Response::PartitionData partition(const Request& request, std::int16_t version = Request::max_version) {
    const Response response = machine.asked<Response>(request, version);
    endpoints = response.node_endpoints.size();
    if (!response.topics.empty()) return response.topics[0].partitions[0];
    typename Response::PartitionData top;
    top.error_code = response.error_code;
    top.leader_id = NodeId{-99};  // no partition at all
    return top;
  }

  Machine machine;
  Arena arena;
  std::size_t endpoints = 0;  // of the last answer
  Epoch epoch{};              // that must not change
};

TEST_F(RaftRpc, VotesAreNotGranted) {
  for (const bool pre_vote : {false, true}) {
    VoteRequest same = vote(1);
    of(same).pre_vote = pre_vote;
    const auto answer = partition<VoteResponse>(same);
    EXPECT_EQ(answer.error_code, ErrorCode::none);
    EXPECT_FALSE(answer.vote_granted);
    EXPECT_EQ(answer.leader_id, NodeId{1});
    EXPECT_EQ(answer.leader_epoch, Epoch{1});
    EXPECT_EQ(endpoints, 1u);
  }
}

TEST_F(RaftRpc, AHigherEpochOfAStrangerMovesNobody) {  // cases.md strangers
  for (const std::int32_t higher : {2, 1000, 2147483647}) {
    for (const bool pre_vote : {false, true}) {
      VoteRequest request = vote(higher);
      of(request).pre_vote = pre_vote;
      const auto answer = partition<VoteResponse>(request);
      EXPECT_EQ(answer.error_code, ErrorCode::unknown_leader_epoch);
      EXPECT_FALSE(answer.vote_granted);
      EXPECT_EQ(answer.leader_epoch, Epoch{1});
    }
    EXPECT_EQ(partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(stranger, higher)).error_code,
              ErrorCode::unknown_leader_epoch);
    EXPECT_EQ(partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(stranger, higher)).error_code,
              ErrorCode::unknown_leader_epoch);
    const auto ours = partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(NodeId{1}, higher));
    EXPECT_EQ(ours.error_code, ErrorCode::unknown_leader_epoch);
    EXPECT_EQ(ours.leader_id, no_node);  // P4
  }
}

TEST_F(RaftRpc, AnOlderEpochIsFenced) {
  const auto answer = partition<VoteResponse>(vote(0));
  EXPECT_EQ(answer.error_code, ErrorCode::invalid_request);  // nothing can come before epoch 0's candidate
  machine.bring_up_again();
  epoch = Epoch{2};
  const auto fenced = partition<VoteResponse>(vote(1));
  EXPECT_EQ(fenced.error_code, ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(fenced.leader_id, NodeId{1});
  EXPECT_EQ(partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(stranger, 1)).error_code,
            ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(stranger, 1)).error_code,
            ErrorCode::fenced_leader_epoch);
}

TEST_F(RaftRpc, WithoutEndpointsNoLeaderIsNamed) {  // cases.md row P5
  EXPECT_EQ(partition<VoteResponse>(vote(1), 0).leader_id, no_node);
  EXPECT_EQ(partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(NodeId{1}, 1), 0).leader_id, no_node);
  EXPECT_EQ(partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(NodeId{1}, 1), 0).leader_id, no_node);
}

TEST_F(RaftRpc, SomebodyWithOurIdIsNotToldThatItLeads) {  // cases.md row P4
  VoteRequest request = vote(9);
  of(request).replica_id = NodeId{1};
  const auto answer = partition<VoteResponse>(request);
  EXPECT_EQ(answer.error_code, ErrorCode::invalid_voter_key);
  EXPECT_EQ(answer.leader_id, no_node);
}

TEST_F(RaftRpc, MeantForAnotherVoter) {
  VoteRequest request = vote(1);
  request.voter_id = NodeId{2};
  EXPECT_EQ(partition<VoteResponse>(request).error_code, ErrorCode::invalid_voter_key);
  request = vote(1);
  request.voter_id = NodeId{1};
  of(request).voter_directory_id = DirectoryId{Uuid{4, 4}};
  EXPECT_EQ(partition<VoteResponse>(request).error_code, ErrorCode::invalid_voter_key);
  of(request).voter_directory_id = machine.config.directory_id;
  EXPECT_EQ(partition<VoteResponse>(request).error_code, ErrorCode::none);
  auto begin = claim<BeginQuorumEpochRequest>(NodeId{1}, 1);
  begin.voter_id = NodeId{2};
  EXPECT_EQ(partition<BeginQuorumEpochResponse>(begin).error_code, ErrorCode::invalid_voter_key);
}

TEST_F(RaftRpc, AnotherLeaderOfOurEpochIsNotToldOfUs) {  // cases.md row P3
  const auto begin = partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(stranger, 1));
  EXPECT_EQ(begin.error_code, ErrorCode::invalid_voter_key);
  EXPECT_EQ(begin.leader_id, no_node);
  const auto end = partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(stranger, 1));
  EXPECT_EQ(end.error_code, ErrorCode::invalid_voter_key);
  EXPECT_EQ(end.leader_id, no_node);
}

TEST_F(RaftRpc, WhatIsSoIsAcknowledged) {
  EXPECT_EQ(partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(NodeId{1}, 1)).error_code,
            ErrorCode::none);
  EXPECT_EQ(partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(NodeId{1}, 1)).error_code, ErrorCode::none);
}

TEST_F(RaftRpc, MalformedOnesAreRefusedForTheWhole) {  // cases.md row P1, strangers
  const auto refused = [&](const VoteRequest& request) {
    const auto answer = partition<VoteResponse>(request);
    EXPECT_EQ(answer.leader_id, NodeId{-99});
    return answer.error_code;
  };
  VoteRequest request = vote(1);
  request.cluster_id = "elsewhere";
  EXPECT_EQ(refused(request), ErrorCode::inconsistent_cluster_id);
  request = vote(1);
  request.topics = {};
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  request.topics.push_back(arena, request.topics[0]);
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  request.topics[0].partitions = {};
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  request.topics[0].partitions.push_back(arena, of(request));
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  of(request).last_offset = Offset{-1};
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  of(request).last_offset_epoch = Epoch{1};
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  request = vote(1);
  of(request).replica_id = NodeId{-3};
  EXPECT_EQ(refused(request), ErrorCode::invalid_request);
  EXPECT_EQ(partition<BeginQuorumEpochResponse>(claim<BeginQuorumEpochRequest>(NodeId{-1}, 1)).error_code,
            ErrorCode::invalid_request);
  EXPECT_EQ(partition<EndQuorumEpochResponse>(claim<EndQuorumEpochRequest>(NodeId{-1}, 1)).error_code,
            ErrorCode::invalid_request);
}

class VoterChange : public RaftRpc {
 protected:
  AddRaftVoterRequest add(NodeId id) {
    AddRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.voter_id = id;
    request.voter_directory_id = DirectoryId{Uuid{8, 8}};
    request.listeners.push_back(arena, {"CONTROLLER", "host-2", 9093});
    return request;
  }
  ErrorCode added(const AddRaftVoterRequest& request) {
    return machine.asked<AddRaftVoterResponse>(request).error_code;
  }
  RemoveRaftVoterRequest remove(NodeId id, DirectoryId directory) {
    RemoveRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.voter_id = id;
    request.voter_directory_id = directory;
    return request;
  }
  ErrorCode removed(const RemoveRaftVoterRequest& request) {
    return machine.asked<RemoveRaftVoterResponse>(request).error_code;
  }
  UpdateRaftVoterRequest update(NodeId id) {
    UpdateRaftVoterRequest request;
    request.cluster_id = test_cluster;
    request.current_leader_epoch = machine.node().view().epoch;
    request.voter_id = id;
    request.voter_directory_id = DirectoryId{Uuid{8, 8}};
    request.listeners.push_back(arena, {"CONTROLLER", "host-2", 9093});
    request.kraft_version_feature = {0, 1};
    return request;
  }
  UpdateRaftVoterResponse updated(const UpdateRaftVoterRequest& request) {
    return machine.asked<UpdateRaftVoterResponse>(request);
  }
};

TEST_F(VoterChange, Add) {
  EXPECT_EQ(added(add(NodeId{1})), ErrorCode::duplicate_voter);
  AddRaftVoterRequest request = add(NodeId{2});
  request.cluster_id = "elsewhere";
  EXPECT_EQ(added(request), ErrorCode::inconsistent_cluster_id);
  request = add(NodeId{2});
  request.voter_directory_id = {};
  EXPECT_EQ(added(request), ErrorCode::invalid_request);
  request = add(NodeId{2});
  request.listeners = {};
  EXPECT_EQ(added(request), ErrorCode::invalid_request);
  request = add(NodeId{2});
  request.listeners[0].host = "";
  EXPECT_EQ(added(request), ErrorCode::invalid_request);
}

TEST_F(VoterChange, Remove) {
  EXPECT_EQ(removed(remove(NodeId{2}, DirectoryId{Uuid{8, 8}})), ErrorCode::voter_not_found);
  EXPECT_EQ(removed(remove(NodeId{1}, DirectoryId{Uuid{8, 8}})), ErrorCode::voter_not_found);
  EXPECT_EQ(removed(remove(NodeId{1}, machine.config.directory_id)), ErrorCode::voter_not_found);  // the last
  EXPECT_EQ(removed(remove(NodeId{-1}, machine.config.directory_id)), ErrorCode::invalid_request);
}

TEST_F(VoterChange, Update) {
  EXPECT_EQ(updated(update(NodeId{2})).error_code, ErrorCode::voter_not_found);
  EXPECT_EQ(updated(update(NodeId{2})).current_leader.leader_id, NodeId{1});
  UpdateRaftVoterRequest request = update(NodeId{1});
  request.voter_directory_id = machine.config.directory_id;
  EXPECT_EQ(updated(request).error_code, ErrorCode::invalid_request);
  EXPECT_EQ(updated(request).current_leader.leader_id, no_node);
  request = update(NodeId{2});
  request.current_leader_epoch = Epoch{0};
  EXPECT_EQ(updated(request).error_code, ErrorCode::fenced_leader_epoch);
  request.current_leader_epoch = Epoch{7};
  EXPECT_EQ(updated(request).error_code, ErrorCode::unknown_leader_epoch);
  request = update(NodeId{2});
  request.listeners[0].name = "";
  EXPECT_EQ(updated(request).error_code, ErrorCode::invalid_request);
  request = update(NodeId{2});
  request.kraft_version_feature = {0, 0};
  EXPECT_EQ(updated(request).error_code, ErrorCode::invalid_request);
}

TEST(StaticVoters, CannotBeChanged) {
  Machine machine({.format = Format::static_voters});
  machine.bring_up();
  Arena arena;
  AddRaftVoterRequest request;
  request.cluster_id = test_cluster;
  request.voter_id = NodeId{2};
  request.voter_directory_id = DirectoryId{Uuid{8, 8}};
  request.listeners.push_back(arena, {"CONTROLLER", "host-2", 9093});
  EXPECT_EQ(machine.asked<AddRaftVoterResponse>(request).error_code, ErrorCode::unsupported_version);
}

}  // namespace
}  // namespace hayward::core

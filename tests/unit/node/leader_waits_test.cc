// DescribeCluster while nobody leads, as at every start and failover: the stock tools ask it first, and one that is told of no
// leader does not ask again before its time is over.
#include <gtest/gtest.h>

#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using messages::DescribeClusterRequest;
using messages::DescribeClusterResponse;

constexpr std::int64_t longest_wait_ms = 5000;

DescribeClusterRequest of_controllers() {
  DescribeClusterRequest request;
  request.endpoint_type = 2;
  return request;
}

TEST(LeaderWaits, AnAnswerNamesTheLeaderOnceThereIsOne) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.ask(1, of_controllers());
  machine.pass_ms(longest_wait_ms - 1);
  EXPECT_FALSE(machine.answered(1));
  machine.settle();
  const auto response = machine.answer<DescribeClusterResponse>(1);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->error_code, ErrorCode::none);
  EXPECT_EQ(response->controller_id, NodeId{1});
  ASSERT_EQ(response->brokers.size(), 1u);
  EXPECT_EQ(response->brokers[0].host, "host-1");
}

TEST(LeaderWaits, ItIsAnsweredWithWhatThereIsWhenItHasWaitedForLong) {
  Machine machine({.format = Format::static_voters, .voters = 3});
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.ask(1, of_controllers());
  machine.pass_ms(longest_wait_ms - 1);
  EXPECT_FALSE(machine.answered(1));
  machine.pass_ms(1);
  machine.settle();
  EXPECT_TRUE(machine.answered(1));
}

TEST(LeaderWaits, AStopDoesNotWaitForALeader) {
  Machine machine({.format = Format::static_voters, .voters = 3});
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.ask(1, of_controllers());
  machine.step(Stop{});
  machine.settle();
  EXPECT_TRUE(machine.answered(1));
}

TEST(LeaderWaits, WhoHasGoneIsForgotten) {
  Machine machine;
  ASSERT_TRUE(machine.boot());
  machine.start();
  machine.ask(1, of_controllers());
  machine.step(ConnectionClosed{{1, 1, 0}});
  machine.settle();
  EXPECT_FALSE(machine.answered(1));
}

}  // namespace
}  // namespace hayward::core

// What an earlier leader left undone and is too much for one event: reassignments whose end has been reached.
#include <gtest/gtest.h>

#include "cluster.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/unfinished_work.h"

namespace hayward::core {
namespace {

constexpr std::size_t slice = 3;

class FinishedReassignments : public ::testing::Test {
 protected:
  // `count` topics whose replicas 1 are to become 2, all in sync: only the record that ends it is missing.
  explicit FinishedReassignments(int count = 8) {
    cluster.config.partitions_per_slice = slice;
    for (int i = 0; i < count; ++i) {
      const std::string name = "t" + std::to_string(i);
      cluster.add_topic(name, {.replicas = {2, 1}, .isr = {1, 2}, .adding = {2}, .removing = {1}});
    }
  }
  void activate() {
    work.clear();
    cluster.run([&](const HandlerContext& context, RecordList& records) {
      unfinished_work(context, work, records);
      return 0;
    });
  }
  std::size_t run_slice() {
    cluster.run([&](const HandlerContext& context, RecordList& records) {
      work.slice(context, slice, records);
      return 0;
    });
    return cluster.lines.size();
  }
  std::size_t unfinished() { return cluster.image.topics().reassigning().size(); }

  TestCluster cluster;
  BrokerWork work;
};

TEST_F(FinishedReassignments, AreEndedInSlices) {
  activate();
  EXPECT_TRUE(cluster.lines.empty());
  EXPECT_EQ(run_slice(), slice);
  EXPECT_EQ(cluster.lines[0], "Change t0-0 replicas [2] isr [2] leader 2 adding [] removing [] dirs [200]");
  EXPECT_EQ(unfinished(), 5u);
  EXPECT_EQ(run_slice(), slice);
  EXPECT_EQ(run_slice(), 2u);
  EXPECT_TRUE(work.idle());
  EXPECT_EQ(unfinished(), 0u);
  EXPECT_EQ(cluster.state("t7"), "leader 2 epoch 1/1 isr [2]");
}

TEST_F(FinishedReassignments, WhatAFailoverLeavesIsDerivedAgain) {
  activate();
  run_slice();
  activate();  // another leader
  std::size_t changes = 0;
  while (!work.idle()) changes += run_slice();
  EXPECT_EQ(changes, 5u);
  EXPECT_EQ(unfinished(), 0u);
}

TEST_F(FinishedReassignments, ThoseThatGoOnStay) {
  cluster.add_topic("on", {.replicas = {3, 1}, .isr = {1}, .adding = {3}, .removing = {1}});
  activate();
  while (!work.idle()) run_slice();
  EXPECT_EQ(unfinished(), 1u);
}

class FewReassignments : public FinishedReassignments {
 protected:
  FewReassignments() : FinishedReassignments(static_cast<int>(slice)) {}
};

TEST_F(FewReassignments, AreEndedAtOnce) {
  activate();
  EXPECT_EQ(cluster.lines.size(), slice);
  EXPECT_TRUE(work.idle());
}

}  // namespace
}  // namespace hayward::core

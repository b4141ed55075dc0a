// Leases that ran out on their shard while their broker was heard on another, and who owns which.
#include "engine/core/lease/heard_here.h"

#include <gtest/gtest.h>

#include "engine/core/lease/owner.h"

namespace hayward::core {
namespace {

BrokerIncarnation broker(std::int32_t id, std::int64_t epoch = 5) { return {NodeId{id}, BrokerEpoch{epoch}}; }
MonoTime at(std::int64_t ms) { return {ms_to_ns(ms)}; }

TEST(HeardHere, L1_WhoWasHeardKeepsItsLease) {
  HeardHere heard(9000);
  heard.heard(broker(1), Offset{5}, at(1000));
  heard.heard(broker(2), Offset{5}, at(3000));
  heard.heard(broker(2), Offset{4}, at(3500));  // late
  heard.heard(broker(3, 4), Offset{5}, at(9000));
  heard.heard(broker(5), Offset{5}, at(9000));
  LeasesExpired expired{Epoch{1}, {broker(1), broker(2), broker(3), broker(4), broker(5)}};
  const auto again = heard.take_out(expired, {Offset{5}, Offset{5}, Offset{5}, Offset{5}, Offset{6}}, at(10'500));
  EXPECT_EQ(expired.brokers, (std::vector{broker(1), broker(3), broker(4), broker(5)}))
      << "1 was heard too long ago, 3 was another incarnation, 4 was not heard, 5 told of less than before";
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].broker, broker(2));
  EXPECT_EQ(again[0].from, at(3000));
  EXPECT_EQ(again[0].recorded, Offset{5});
}

TEST(HeardHere, IsBounded) {
  HeardHere heard(9000);
  for (std::int32_t id = 0; id < 100'000; ++id) heard.heard(broker(id), no_offset, at(1));
  heard.heard(broker(100'001), no_offset, at(20'000));  // the others are old by now
  LeasesExpired expired{Epoch{1}, {broker(99'999), broker(100'001)}};
  EXPECT_EQ(heard.take_out(expired, {no_offset, no_offset}, at(20'000)).size(), 1u);
  EXPECT_EQ(expired.brokers, std::vector{broker(99'999)});
}

TEST(OwnerShard, L6_EachBrokerHasOneAndTheControllersShardNone) {
  for (std::int32_t id : {0, 1, 2, 17, 2147483647, -5}) {
    EXPECT_EQ(owner_shard(NodeId{id}, 1), 0);
    EXPECT_EQ(owner_shard(NodeId{id}, 2), 1);
    EXPECT_GE(owner_shard(NodeId{id}, 4), 1);
    EXPECT_LT(owner_shard(NodeId{id}, 4), 4);
  }
  EXPECT_NE(owner_shard(NodeId{1}, 4), owner_shard(NodeId{2}, 4));
}

}  // namespace
}  // namespace hayward::core

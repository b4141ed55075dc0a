// When a broker's state is published to the shards and when it is taken back, and the controller's signs of life.
#include "engine/core/published_brokers.h"

#include <gtest/gtest.h>

#include "engine/core/image/cluster.h"

namespace hayward::core {
namespace {

constexpr std::int64_t life_ns = 2'000'000'000;

class PublishedBrokersTest : public ::testing::Test {
 protected:
  PublishedBrokersTest() {
    for (const std::int32_t id : {1, 2}) {
      std::optional<BrokerRegistration> broker = BrokerRegistration{};
      broker->id = NodeId{id};
      broker->epoch = BrokerEpoch{id + 10};
      broker->fenced = false;
      cluster_.exchange_broker(NodeId{id}, broker);
    }
    cluster_.take_changed_brokers();
  }
  // What an update says, "+1" published, "-1" withdrawn, "life".
  std::string update(std::set<NodeId> changed, std::int64_t log_end, std::int64_t high_watermark,
                     std::vector<NodeId> leaving = {}) {
    Effects out;
    published_.update(changed, leaving, cluster_, Offset{log_end}, Offset{high_watermark}, now_, out);
    std::string text;
    for (const Effect& effect : out) {
      if (const auto* p = std::get_if<PublishBroker>(&effect)) text += "+" + std::to_string(p->broker.id.value);
      if (const auto* w = std::get_if<WithdrawBroker>(&effect)) text += "-" + std::to_string(w->broker.value);
      if (std::holds_alternative<SignOfLife>(effect)) text += " life";
    }
    return text;
  }
  void end_registration(NodeId id) {
    std::optional<BrokerRegistration> none;
    cluster_.exchange_broker(id, none);
  }

  Cluster cluster_;
  PublishedBrokers published_{life_ns};
  MonoTime now_{1};
};

TEST_F(PublishedBrokersTest, EverybodyOnceTheActivationIsCommitted) {
  published_.activate(cluster_, Offset{20});
  EXPECT_EQ(update({}, 20, 19), " life");
  EXPECT_EQ(update({}, 20, 20), "+1+2");
  EXPECT_EQ(update({}, 30, 25), "");
}

TEST_F(PublishedBrokersTest, FromTheDecisionToTheCommit) {
  published_.activate(cluster_, Offset{20});
  update({}, 20, 20);
  EXPECT_EQ(update({NodeId{1}}, 21, 20), "-1") << "in the step that decides";
  EXPECT_EQ(update({NodeId{1}}, 22, 21), "") << "the first is committed, another is not";
  EXPECT_EQ(update({}, 25, 22), "+1");
  end_registration(NodeId{2});
  EXPECT_EQ(update({NodeId{2}}, 26, 25), "-2");
  EXPECT_EQ(update({}, 26, 26), "") << "nothing is left to publish";
}

TEST_F(PublishedBrokersTest, ALeavingBrokerStaysWithdrawnUntilItsOwnRecordIsCommitted) {
  published_.activate(cluster_, Offset{20});
  update({}, 20, 20);
  EXPECT_EQ(update({}, 30, 20, {NodeId{2}}), "-2") << "the first slice: of partitions only";
  EXPECT_EQ(update({}, 40, 30, {NodeId{2}}), "");
  EXPECT_EQ(update({}, 40, 40, {NodeId{2}}), "");
  EXPECT_EQ(update({NodeId{2}}, 41, 40), "") << "its record";
  EXPECT_EQ(update({}, 41, 41), "+2");
  EXPECT_EQ(update({}, 41, 41, {NodeId{1}}), "-1");
  EXPECT_EQ(update({}, 41, 41), "+1") << "given up without a record";
}

TEST_F(PublishedBrokersTest, LifeIsShownWhileTheLogMovesOrNothingWaits) {
  published_.activate(cluster_, Offset{20});
  EXPECT_EQ(update({}, 30, 20), "+1+2 life");
  now_ = now_ + (life_ns / 8 - 1);
  EXPECT_EQ(update({}, 30, 21), "") << "not too often";
  now_ = now_ + 1;
  EXPECT_EQ(update({}, 30, 21), "") << "it hangs";
  EXPECT_EQ(update({}, 30, 22), " life") << "it moves";
  now_ = now_ + life_ns;
  EXPECT_EQ(update({}, 30, 22), "");
  EXPECT_EQ(update({}, 30, 30), " life");
  now_ = now_ + life_ns;
  EXPECT_EQ(update({}, 30, 30), " life") << "nothing to commit";
}

}  // namespace
}  // namespace hayward::core

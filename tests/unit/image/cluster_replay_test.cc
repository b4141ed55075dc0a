// Records about registrations: what they do, and what is refused.
#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

using ClusterReplay = ImageTest;

TEST_F(ClusterReplay, RegisterBrokerReplacesTheRegistrationAndRemembersItsOffset) {
  apply(records::NoOpRecord{});
  records::RegisterBrokerRecord record = broker(1, 1, true);
  record.rack = "r1";
  record.end_points = {};
  record.end_points.push_back(arena_, {"A", "one", 1, 0});
  record.end_points.push_back(arena_, {"B", "two", 2, 1});
  record.end_points.push_back(arena_, {"A", "three", 3, 2});
  record.log_dirs = {};
  record.log_dirs.push_back(arena_, DirectoryId{Uuid{1, 1}});
  record.log_dirs.push_back(arena_, DirectoryId{Uuid{0x8000000000000000ull, 0}});  // negative for Kafka
  apply(record);
  const BrokerRegistration* found = image_.cluster().broker(node(1));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->register_offset, Offset{1});
  EXPECT_EQ(found->epoch, BrokerEpoch{1});
  EXPECT_TRUE(found->fenced);
  EXPECT_FALSE(found->active());
  EXPECT_EQ(found->rack, "r1");
  ASSERT_EQ(found->endpoints.size(), 2u);  // of two with one name the last
  EXPECT_EQ(found->endpoints[0], (Endpoint{"A", "three", 3, 2}));
  EXPECT_EQ(found->log_dirs.front(), (DirectoryId{Uuid{0x8000000000000000ull, 0}}));
  EXPECT_FALSE(found->cordoned_log_dirs.has_value());
  EXPECT_TRUE(found->has_online_dir(DirectoryId{Uuid{1, 1}}));
  EXPECT_FALSE(found->has_online_dir(DirectoryId{Uuid{1, 2}}));
  EXPECT_TRUE(found->has_online_dir(directory_unassigned));
  EXPECT_FALSE(found->has_online_dir(directory_lost));

  apply(broker(1, 2));
  EXPECT_EQ(image_.cluster().broker(node(1))->epoch, BrokerEpoch{2});
  EXPECT_TRUE(image_.cluster().is_active(node(1)));
  EXPECT_EQ(image_.cluster().owner_of_dir(DirectoryId{Uuid{1, 1}}), nullptr);
  EXPECT_EQ(image_.cluster().owner_of_dir(dir_id(1))->id, node(1));
}

TEST_F(ClusterReplay, EveryVersionOfRegisterBrokerIsRead) {
  for (std::int16_t version = 0; version <= 4; ++version) apply(broker(version, version), version);
  EXPECT_TRUE(image_.cluster().broker(node(2))->log_dirs.empty());
  EXPECT_EQ(image_.cluster().broker(node(2))->default_dir(), directory_migrating);
  EXPECT_EQ(image_.cluster().broker(node(3))->log_dirs.size(), 1u);
  EXPECT_EQ(image_.cluster().broker(node(3))->default_dir(), dir_id(3));
  EXPECT_EQ(image_.cluster().default_dir(node(9)), directory_unassigned);
}

TEST_F(ClusterReplay, ADirectoryHasOneOwner) {
  apply(broker(1));
  records::RegisterBrokerRecord other = broker(2);
  other.log_dirs = dirs({1});
  EXPECT_NE(refuse(other).find("it is registered by broker 1"), std::string::npos);
  other.log_dirs = dirs({5, 6, 5});
  EXPECT_NE(refuse(other).find("twice"), std::string::npos);
  // Free again once its owner has registered without it, or is gone.
  records::RegisterBrokerRecord first = broker(1, 1);
  first.log_dirs = dirs({9});
  apply(first);
  other.log_dirs = dirs({1});
  apply(other);
  apply(records::UnregisterBrokerRecord{node(1), BrokerEpoch{1}});
  records::RegisterBrokerRecord third = broker(3);
  third.log_dirs = dirs({9});
  apply(third);
}

TEST_F(ClusterReplay, ChangesNeedTheRegistrationOfThatEpoch) {
  apply(broker(3, 9, true));
  EXPECT_EQ(refuse(records::UnregisterBrokerRecord{node(3), BrokerEpoch{5}}),
            "record UnregisterBrokerRecord at offset 1: expected broker 3 registered with epoch 5, found epoch 9");
  EXPECT_EQ(refuse(records::FenceBrokerRecord{node(4), BrokerEpoch{5}}),
            "record FenceBrokerRecord at offset 1: expected broker 4 registered with epoch 5, found no such broker");
  refuse(records::UnfenceBrokerRecord{node(3), BrokerEpoch{8}});
  records::BrokerRegistrationChangeRecord change;
  change.broker_id = node(3);
  change.broker_epoch = BrokerEpoch{10};
  change.fenced = -1;
  refuse(change);
  EXPECT_TRUE(image_.cluster().broker(node(3))->fenced);

  apply(records::UnfenceBrokerRecord{node(3), BrokerEpoch{9}});
  EXPECT_FALSE(image_.cluster().broker(node(3))->fenced);
  apply(records::FenceBrokerRecord{node(3), BrokerEpoch{9}});
  EXPECT_TRUE(image_.cluster().broker(node(3))->fenced);
  apply(records::UnregisterBrokerRecord{node(3), BrokerEpoch{9}});
  EXPECT_EQ(image_.cluster().broker(node(3)), nullptr);
}

TEST_F(ClusterReplay, BrokerRegistrationChangeChangesWhatItNames) {
  apply(broker(1, 4, true));
  records::BrokerRegistrationChangeRecord change;
  change.broker_id = node(1);
  change.broker_epoch = BrokerEpoch{4};
  apply(change, 0);  // nothing named
  EXPECT_TRUE(image_.cluster().broker(node(1))->fenced);
  change.fenced = -1;
  apply(change, 0);
  EXPECT_FALSE(image_.cluster().broker(node(1))->fenced);
  change.fenced = 0;
  change.in_controlled_shutdown = 1;
  apply(change, 1);
  EXPECT_TRUE(image_.cluster().broker(node(1))->in_controlled_shutdown);
  change.in_controlled_shutdown = 0;
  change.log_dirs = dirs({7, 8});
  apply(change, 2);
  EXPECT_TRUE(image_.cluster().broker(node(1))->in_controlled_shutdown);
  EXPECT_EQ(image_.cluster().broker(node(1))->log_dirs.size(), 2u);
  EXPECT_EQ(image_.cluster().broker(node(1))->default_dir(), directory_unassigned);
  change.log_dirs = {};
  change.cordoned_log_dirs = Array<DirectoryId>();
  apply(change, 3);
  ASSERT_TRUE(image_.cluster().broker(node(1))->cordoned_log_dirs.has_value());
  EXPECT_TRUE(image_.cluster().broker(node(1))->cordoned_log_dirs->empty());
  EXPECT_EQ(image_.cluster().broker(node(1))->log_dirs.size(), 2u);
  EXPECT_TRUE(image_.cluster().broker(node(1))->has_uncordoned_dirs());
  change.cordoned_log_dirs = dirs({8, 7});
  apply(change, 3);
  EXPECT_FALSE(image_.cluster().broker(node(1))->has_uncordoned_dirs());
  EXPECT_EQ(image_.cluster().broker(node(1))->register_offset, Offset{0});

  change.fenced = 2;
  EXPECT_NE(refuse(change).find("Fenced of -1, 0 or 1"), std::string::npos);
  change.fenced = 0;
  change.in_controlled_shutdown = -1;
  EXPECT_NE(refuse(change).find("InControlledShutdown"), std::string::npos);
}

TEST_F(ClusterReplay, RegisterControllerReplaces) {
  records::RegisterControllerRecord record;
  record.controller_id = node(3000);
  record.end_points.push_back(arena_, {"CONTROLLER", "c", 9093, 0});
  record.features.push_back(arena_, {"kraft.version", 0, 1});
  apply(record);
  record.end_points = {};
  apply(record);
  ASSERT_EQ(image_.cluster().controllers().size(), 1u);
  EXPECT_TRUE(image_.cluster().controller(node(3000))->endpoints.empty());
  EXPECT_EQ(image_.cluster().controller(node(3000))->features.front(), (FeatureRange{"kraft.version", 0, 1}));
}

}  // namespace
}  // namespace hayward::core::testing

// Which heartbeats are answered on the shard, and what each condition that fails sends to the controller.
#include <gtest/gtest.h>

#include "engine/core/lease/shard_leases.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {
namespace {

using messages::BrokerHeartbeatRequest;
using messages::BrokerHeartbeatResponse;

constexpr BrokerIncarnation broker{NodeId{7}, BrokerEpoch{40}};
constexpr std::int64_t session_ms = 9000;
constexpr std::int64_t fetch_timeout_ms = 2000;
constexpr Offset log_end{100};

MonoTime at(std::int64_t ms) { return {ms_to_ns(ms)}; }
DirectoryId dir(std::uint64_t n) { return DirectoryId{Uuid{9, n}}; }

class SteadyHeartbeatsTest : public ::testing::Test {
 protected:
  SteadyHeartbeatsTest() : leases_(session_ms, fetch_timeout_ms, at(0)) {
    leases_.apply(PublishClusterAccess{std::make_shared<const AccessRules>(AuthorizerConfig{})});
    leases_.apply(ResetLeases{Epoch{3}});
    leases_.apply(GrantLease{broker, Offset{30}, at(0)});
    leases_.apply(SignOfLife{at(0)});
    publish(false);
    heartbeat_.broker_id = broker.id;
    heartbeat_.broker_epoch = broker.epoch;
    heartbeat_.current_metadata_offset = Offset{50};
  }
  void publish(bool fenced) { leases_.apply(PublishBroker{broker, fenced, Offset{40}, {dir(1), dir(2)}, std::vector{dir(2)}}); }

  // The answer's body; nullopt: it is the controller's.
  std::optional<BrokerHeartbeatResponse> ask(std::int16_t version = BrokerHeartbeatRequest::max_version) {
    body_.resize(encoded_size(heartbeat_, version));
    Writer writer(body_);
    encode(writer, heartbeat_, version);
    request_.api_key = BrokerHeartbeatRequest::api_key;
    request_.api_version = version;
    request_.correlation_id = 4711;
    request_.body = body_;
    request_.arrival = now_;
    leases_.touch(request_, log_end);
    const auto* answer = leases_.answer(request_, now_);
    if (answer == nullptr) return std::nullopt;
    Reader reader(*answer);
    EXPECT_EQ(reader.read_i32(), 4711);
    EXPECT_EQ(reader.read_uvarint(), 0u);
    BrokerHeartbeatResponse response;
    EXPECT_TRUE(decode(reader, version, arena_, response));
    EXPECT_EQ(reader.remaining(), 0u);
    EXPECT_EQ(response.error_code, ErrorCode::none);
    EXPECT_EQ(response.throttle_time_ms, 0);
    EXPECT_FALSE(response.should_shut_down);
    return response;
  }

  ShardLeases leases_;
  BrokerHeartbeatRequest heartbeat_;
  Request request_;
  MonoTime now_ = at(100);
  Buffer body_;
  Arena arena_;
};

TEST_F(SteadyHeartbeatsTest, AnUnfencedBrokerThatWantsNothing) {
  for (std::int16_t version = 0; version <= BrokerHeartbeatRequest::max_version; ++version) {
    const auto answer = ask(version);
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->is_caught_up);
    EXPECT_FALSE(answer->is_fenced);
  }
  heartbeat_.current_metadata_offset = Offset{39};
  EXPECT_FALSE(ask().has_value()) << "below the recorded offset: ignored, and the controller counts it";
  EXPECT_EQ(leases_.steady().answered(), 3u);
}

TEST_F(SteadyHeartbeatsTest, AFencedBrokerThatCannotBeUnfencedYet) {
  publish(true);
  heartbeat_.current_metadata_offset = Offset{39};
  auto answer = ask();
  ASSERT_TRUE(answer.has_value());
  EXPECT_FALSE(answer->is_caught_up);
  EXPECT_TRUE(answer->is_fenced);
  heartbeat_.current_metadata_offset = Offset{40};
  EXPECT_FALSE(ask().has_value()) << "it is to be unfenced";
  heartbeat_.want_fence = true;
  answer = ask();
  ASSERT_TRUE(answer.has_value()) << "it does not want to be, yet";
  EXPECT_TRUE(answer->is_caught_up);
  EXPECT_TRUE(answer->is_fenced);
}

TEST_F(SteadyHeartbeatsTest, WishesAreTheControllers) {
  heartbeat_.want_fence = true;
  EXPECT_FALSE(ask().has_value());
  heartbeat_.want_fence = false;
  heartbeat_.want_shut_down = true;
  EXPECT_FALSE(ask().has_value());
  publish(true);
  EXPECT_FALSE(ask().has_value());
}

TEST_F(SteadyHeartbeatsTest, OnlyWhileThePublishedStateStands) {
  leases_.apply(WithdrawBroker{broker.id});
  EXPECT_FALSE(ask().has_value());
  publish(false);
  EXPECT_TRUE(ask().has_value());
  leases_.apply(ResetLeases{Epoch{4}});
  EXPECT_FALSE(ask().has_value()) << "another epoch";
  publish(false);
  leases_.apply(SignOfLife{now_});
  EXPECT_FALSE(ask().has_value()) << "no lease";
  leases_.apply(GrantLease{broker, no_offset, now_});
  EXPECT_TRUE(ask().has_value());
  leases_.apply(DropLease{broker.id});
  EXPECT_FALSE(ask().has_value());
}

TEST_F(SteadyHeartbeatsTest, OnlyThePublishedIncarnation) {
  heartbeat_.broker_epoch = BrokerEpoch{39};
  EXPECT_FALSE(ask().has_value());
  heartbeat_.broker_epoch = BrokerEpoch{41};
  EXPECT_FALSE(ask().has_value());
  leases_.apply(GrantLease{{broker.id, BrokerEpoch{41}}, no_offset, now_});
  EXPECT_FALSE(ask().has_value()) << "leased, but what is published is of the one before";
}

TEST_F(SteadyHeartbeatsTest, DirectoriesThatAreNotRecorded) {
  Arena arena;
  heartbeat_.offline_log_dirs.push_back(arena, dir(3));
  EXPECT_TRUE(ask().has_value()) << "offline, and recorded as such: not among the registered ones";
  heartbeat_.offline_log_dirs.push_back(arena, dir(1));
  EXPECT_FALSE(ask().has_value());
  heartbeat_.offline_log_dirs = {};
  heartbeat_.cordoned_log_dirs = Array<DirectoryId>{};
  EXPECT_FALSE(ask().has_value()) << "none is cordoned any more";
  heartbeat_.cordoned_log_dirs.push_back(arena, dir(2));
  heartbeat_.cordoned_log_dirs.push_back(arena, dir(2));
  EXPECT_TRUE(ask().has_value()) << "as a set";
  heartbeat_.cordoned_log_dirs.push_back(arena, dir(1));
  EXPECT_FALSE(ask().has_value());
  leases_.apply(PublishBroker{broker, false, Offset{40}, {}, std::nullopt});
  heartbeat_.cordoned_log_dirs = Array<DirectoryId>{};
  EXPECT_FALSE(ask().has_value()) << "not known yet is not the same as none";
}

TEST_F(SteadyHeartbeatsTest, OnlyWhileTheControllerShowsLife) {
  now_ = at(fetch_timeout_ms);
  EXPECT_TRUE(ask().has_value());
  now_ = at(fetch_timeout_ms) + 1;
  EXPECT_FALSE(ask().has_value());
  leases_.apply(SignOfLife{now_});
  EXPECT_TRUE(ask().has_value());
}

TEST_F(SteadyHeartbeatsTest, OnlyOfOneWhoMayDoClusterAction) {
  AuthorizerConfig config;
  config.enabled = true;
  leases_.apply(PublishClusterAccess{std::make_shared<const AccessRules>(config)});
  EXPECT_FALSE(ask().has_value());
  config.super_users = {"User:ANONYMOUS"};
  leases_.apply(PublishClusterAccess{std::make_shared<const AccessRules>(config)});
  EXPECT_TRUE(ask().has_value());
}

TEST_F(SteadyHeartbeatsTest, WhatCannotBeReadIsTheControllers) {
  ASSERT_TRUE(ask().has_value());
  request_.body = Bytes(body_).first(body_.size() - 1);
  EXPECT_EQ(leases_.answer(request_, now_), nullptr);
  request_.api_key = 62;
  request_.body = body_;
  EXPECT_EQ(leases_.answer(request_, now_), nullptr);
}

// What the controller learns of heartbeats that it did not see.
TEST_F(SteadyHeartbeatsTest, ContactsAreToldOnceAndNotTooOften) {
  EXPECT_FALSE(leases_.take_contacts().has_value());
  leases_.begin_turn(now_);
  ask();
  heartbeat_.current_metadata_offset = Offset{60};
  ask();
  auto mail = leases_.end_turn(2, now_);
  ASSERT_TRUE(mail.contacts.has_value());
  EXPECT_EQ(mail.contacts->controller_epoch, Epoch{3});
  ASSERT_EQ(mail.contacts->brokers.size(), 1u);
  EXPECT_EQ(mail.contacts->brokers[0].broker, broker);
  EXPECT_EQ(mail.contacts->brokers[0].metadata_offset, Offset{60});
  EXPECT_EQ(mail.contacts->brokers[0].last_contact, now_);

  now_ = at(150);
  leases_.begin_turn(now_);
  ask();
  EXPECT_FALSE(leases_.end_turn(1, now_).contacts.has_value()) << "too soon";
  EXPECT_TRUE(leases_.take_contacts().has_value()) << "but there for who asks";
  EXPECT_FALSE(leases_.take_contacts().has_value());
}

}  // namespace
}  // namespace hayward::core

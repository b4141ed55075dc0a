// Tests of engine/core/lease/lease_table, by the ids of the lease invariants (docs: L1-L9).
#include "engine/core/lease/lease_table.h"

#include <gtest/gtest.h>

#include "engine/core/lease/lease_mail.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t session = 9000 * ms;
constexpr Offset log_end{1'000};

BrokerIncarnation broker(std::int32_t id, std::int64_t epoch = 5) { return {NodeId{id}, BrokerEpoch{epoch}}; }
MonoTime at(std::int64_t time_ms) { return {time_ms * ms}; }

using Brokers = std::vector<BrokerIncarnation>;

// A loop without stalls up to `until`: a turn whenever the table asks for one.
Brokers run_until(LeaseTable& leases, MonoTime until) {
  Brokers expired;
  for (MonoTime now = leases.next_wake(); now <= until; now = leases.next_wake()) {
    EXPECT_EQ(leases.observe(now), 0);
    if (const auto mail = leases.expire(now)) expired.insert(expired.end(), mail->brokers.begin(), mail->brokers.end());
  }
  EXPECT_EQ(leases.observe(until), 0);
  if (const auto mail = leases.expire(until)) expired.insert(expired.end(), mail->brokers.begin(), mail->brokers.end());
  return expired;
}

TEST(LeaseTable, L1L2_ExpiresAfterTheSessionAndAtMostOneTickLate) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(3));
  EXPECT_EQ(run_until(leases, at(9003)), Brokers{});
  EXPECT_EQ(run_until(leases, {9003 * ms + leases.tick_ns()}), Brokers{broker(1)});
  EXPECT_EQ(run_until(leases, at(60'000)), Brokers{}) << "told once";
  EXPECT_EQ(leases.size(), 0u);
  EXPECT_EQ(leases.next_wake(), mono_never);
}

TEST(LeaseTable, L1_ArrivalCountsNotTheTimeOfTheCall) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));
  EXPECT_EQ(run_until(leases, at(8999)), Brokers{});
  EXPECT_EQ(leases.touch(broker(1), Offset{1}, log_end, at(4000)), LeaseTable::Touch::renewed);
  EXPECT_EQ(leases.touch(broker(1), Offset{1}, log_end, at(3000)), LeaseTable::Touch::renewed) << "an older arrival";
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(4000));
  EXPECT_EQ(run_until(leases, at(13'000)), Brokers{});
  EXPECT_EQ(run_until(leases, at(13'020)), Brokers{broker(1)});
}

TEST(LeaseTable, L4_AStallOfOursShiftsEveryDeadlineAndQueuedHeartbeatsComeFirst) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));
  leases.grant(broker(2), no_offset, at(0));
  ASSERT_EQ(run_until(leases, at(8000)), Brokers{});
  EXPECT_EQ(leases.observe(at(35'000)), 27'000 * ms);
  EXPECT_EQ(leases.stalled_ns(), 27'000 * ms);
  EXPECT_EQ(leases.touch(broker(1), Offset{1}, log_end, at(35'000)), LeaseTable::Touch::renewed);
  EXPECT_EQ(leases.expire(at(35'000)), std::nullopt);
  EXPECT_EQ(run_until(leases, at(36'000)), Brokers{}) << "2 had one second left when we stalled";
  EXPECT_EQ(run_until(leases, at(36'020)), Brokers{broker(2)});
  EXPECT_EQ(run_until(leases, at(44'000)), Brokers{});
  EXPECT_EQ(run_until(leases, at(44'020)), Brokers{broker(1)});
}

TEST(LeaseTable, L4_NothingExpiresInTheTurnOfAShift) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));
  ASSERT_EQ(run_until(leases, at(8999)), Brokers{});
  EXPECT_GT(leases.observe(at(12'000)), 0);
  EXPECT_EQ(leases.expire(at(20'000)), std::nullopt) << "a turn that took long after a stall";
  EXPECT_EQ(leases.touch(broker(1), Offset{1}, log_end, at(20'000)), LeaseTable::Touch::renewed);
}

TEST(LeaseTable, L4_AStallIsOwedToWhatArrivedBeforeItAndIsToldOfOrGrantedAfter) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));  // so that stalls are noticed at all
  leases.touch(broker(2), Offset{5}, log_end, at(500));  // has no lease: the controller is slow to take it up
  leases.grant(broker(3), no_offset, at(0));
  leases.grant(broker(4), no_offset, at(0));
  ASSERT_EQ(run_until(leases, at(1000)), Brokers{});
  ASSERT_EQ(leases.observe(at(5000)), 4000 * ms);
  ASSERT_EQ(leases.observe(at(5500)), 0);
  leases.touch(broker(1), Offset{5}, log_end, at(5500));
  leases.touch(broker(3), Offset{5}, log_end, at(900));   // in the mail when we stalled
  leases.touch(broker(4), Offset{5}, log_end, at(4000));  // at another shard while we stalled
  ASSERT_EQ(leases.observe(at(8500)), 3000 * ms);
  leases.touch(broker(1), Offset{5}, log_end, at(8500));
  leases.grant(broker(2), Offset{5}, at(400));
  EXPECT_EQ(leases.find(NodeId{2})->last_contact, at(500));
  EXPECT_EQ(run_until(leases, at(16'500)), Brokers{});
  EXPECT_EQ(run_until(leases, at(16'520)), Brokers{broker(2)});
  EXPECT_EQ(run_until(leases, at(16'900)), Brokers{});
  EXPECT_EQ(run_until(leases, at(16'920)), Brokers{broker(3)});
  EXPECT_EQ(run_until(leases, at(17'000)), Brokers{});
  EXPECT_EQ(run_until(leases, at(17'020)), Brokers{broker(4)});
}

TEST(LeaseTable, IdlenessIsNoStall) {
  LeaseTable leases(session, at(0));
  EXPECT_EQ(leases.observe(at(1'000'000)), 0) << "no leases, no wake-ups asked for";
  leases.grant(broker(1), no_offset, at(1'000'000));
  EXPECT_LE(leases.next_wake(), at(1'000'000 + 9000 / 8));
  EXPECT_EQ(leases.observe(at(1'002'000)), 0);
}

TEST(LeaseTable, L5_AnotherEpochExtendsNothing) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1, 5), no_offset, at(0));
  EXPECT_EQ(leases.touch(broker(1, 4), Offset{1}, log_end, at(100)), LeaseTable::Touch::no_lease);
  EXPECT_EQ(leases.touch(broker(1, 6), Offset{1}, log_end, at(100)), LeaseTable::Touch::no_lease);
  EXPECT_EQ(leases.touch(broker(2), Offset{1}, log_end, at(100)), LeaseTable::Touch::no_lease);
  EXPECT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0));
}

TEST(LeaseTable, ALowerOffsetRenewsNothingAndOneAboveTheLogIsNotRecorded) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), Offset{10}, at(0));
  EXPECT_EQ(leases.touch(broker(1), Offset{9}, log_end, at(100)), LeaseTable::Touch::lower_offset);
  EXPECT_EQ(leases.touch(broker(1), no_offset, log_end, at(100)), LeaseTable::Touch::lower_offset);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0));
  EXPECT_EQ(leases.ignored_heartbeats(), 2u);
  EXPECT_EQ(leases.touch(broker(1), log_end, log_end, at(100)), LeaseTable::Touch::renewed);
  EXPECT_EQ(leases.find(NodeId{1})->offset, Offset{10});
  EXPECT_EQ(leases.touch(broker(1), Offset{999}, log_end, at(100)), LeaseTable::Touch::renewed);
  EXPECT_EQ(leases.find(NodeId{1})->offset, Offset{999});
}

TEST(LeaseTable, ANewIncarnationReplacesTheOldLease) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1, 5), Offset{70}, at(0));
  leases.grant(broker(1, 8), no_offset, at(1000));
  EXPECT_EQ(leases.find(NodeId{1})->broker, broker(1, 8));
  EXPECT_EQ(leases.find(NodeId{1})->offset, no_offset) << "the recorded offset starts anew";
  EXPECT_EQ(run_until(leases, at(10'000)), Brokers{});
  EXPECT_EQ(run_until(leases, at(10'020)), Brokers{broker(1, 8)});
}

TEST(LeaseTable, AGrantOfALivingLeaseNeverShortensIt) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), Offset{3}, at(1000));
  leases.grant(broker(1), no_offset, at(0));
  EXPECT_EQ(leases.find(NodeId{1})->offset, Offset{3});
  EXPECT_EQ(run_until(leases, at(10'000)), Brokers{});
}

TEST(LeaseTable, L1_HeartbeatsThatCameBeforeTheGrantCount) {
  LeaseTable leases(session, at(0));
  leases.touch(broker(1), Offset{5}, log_end, at(100));    // the controller is slow to take it up
  leases.touch(broker(1), Offset{6}, log_end, at(2100));
  leases.touch(broker(1), Offset{4}, log_end, at(2200));   // below what it has reported: no contact
  leases.touch(broker(1, 4), Offset{9}, log_end, at(100));  // of an old epoch
  leases.touch(broker(1), Offset{6}, log_end, at(2300));
  leases.touch(broker(2), Offset{3}, log_end, at(2300));
  leases.grant(broker(1), Offset{5}, at(100));
  leases.grant(broker(2), Offset{4}, at(100));
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(2300));
  EXPECT_EQ(leases.find(NodeId{2})->last_contact, at(100)) << "a lower offset than the recorded one";
}

TEST(LeaseTable, L1_HeartbeatsThatCameBeforeTheActivationCount) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(2), no_offset, at(0));
  leases.touch(broker(1), Offset{5}, log_end, at(100));
  leases.touch(broker(1), Offset{6}, log_end, at(2100));
  leases.touch(broker(2), Offset{6}, log_end, at(2200));
  leases.reset(Epoch{8});
  leases.grant(broker(1), Offset{5}, at(100));
  leases.grant(broker(2), Offset{5}, at(100));
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(2100));
  EXPECT_EQ(leases.find(NodeId{2})->last_contact, at(2200));
  leases.touch(broker(3), Offset{7}, log_end, at(2300));
  leases.reset(Epoch{9});
  leases.touch(broker(3), Offset{4}, log_end, at(2400));
  leases.grant(broker(3), Offset{4}, at(100));
  EXPECT_EQ(leases.find(NodeId{3})->last_contact, at(2400)) << "the offsets told before count no more";
}

TEST(LeaseTable, L5_AnOldIncarnationHidesNoHeartbeatFromTheNextLease) {
  LeaseTable leases(session, at(0));
  leases.touch(broker(1, 6), Offset{42}, log_end, at(5000));
  leases.touch(broker(1, 6), Offset{1'000'000'000}, log_end, at(6000));  // counts, and is not recorded
  leases.touch(broker(1, 6), Offset{42}, log_end, at(7000));
  leases.touch(broker(1, 5), Offset{42}, log_end, at(7500));
  leases.grant(broker(1, 6), Offset{42}, at(1000));
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(7000));
}

TEST(LeaseTable, DropTellsNothing) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));
  leases.drop(NodeId{1});
  leases.drop(NodeId{7});
  leases.grant(broker(2), no_offset, at(0));  // takes the freed place
  EXPECT_EQ(run_until(leases, at(20'000)), Brokers{broker(2)});
}

TEST(LeaseTable, L9_ResetForgetsAllAndExpiriesCarryTheNewEpoch) {
  LeaseTable leases(session, at(0));
  leases.reset(Epoch{3});
  leases.grant(broker(1), no_offset, at(0));
  leases.reset(Epoch{4});
  leases.grant(broker(2), no_offset, at(0));
  for (MonoTime now = at(0); now < at(9000); now = now + 1000 * ms) leases.observe(now);
  leases.observe(at(9020));
  const auto mail = leases.expire(at(9020));
  ASSERT_TRUE(mail.has_value());
  EXPECT_EQ(mail->controller_epoch, Epoch{4});
  EXPECT_EQ(mail->brokers, Brokers{broker(2)});
}

TEST(LeaseTable, SeveralExpireTogetherInOrderOfTheirIds) {
  LeaseTable leases(session, at(0));
  for (const std::int32_t id : {5, 1, 3}) leases.grant(broker(id), no_offset, at(0));
  EXPECT_EQ(run_until(leases, at(9020)), (Brokers{broker(1), broker(3), broker(5)}));
}

TEST(LeaseTable, L8_HoldsAtTheFarEndOfTime) {
  const std::int64_t far_ms = INT64_MAX / ms - 100'000;  // 292 years of uptime
  LeaseTable leases(session, at(far_ms));
  leases.grant(broker(1), no_offset, at(far_ms));
  EXPECT_EQ(run_until(leases, at(far_ms + 9000)), Brokers{});
  EXPECT_EQ(run_until(leases, at(far_ms + 9020)), Brokers{broker(1)});
}

TEST(LeaseTable, AnySessionLengthKeepsToItsTick) {
  for (const std::int64_t session_ms : {1, 10, 300, 9000, 600'000}) {
    LeaseTable leases(session_ms * ms, at(0));
    leases.grant(broker(1), no_offset, at(0));
    EXPECT_EQ(run_until(leases, at(session_ms)), Brokers{}) << session_ms;
    EXPECT_EQ(run_until(leases, {session_ms * ms + leases.tick_ns() + 1}), Brokers{broker(1)}) << session_ms;
  }
}

Buffer heartbeat_head(std::int32_t id, std::int64_t epoch, std::int64_t offset) {
  Buffer body(22);
  Writer writer(body);
  writer.write_i32(id);
  writer.write_i64(epoch);
  writer.write_i64(offset);
  return body;
}

ClusterAccess everybody() {
  ClusterAccess access;
  access.replace(std::make_shared<const AccessRules>(AuthorizerConfig{}));
  return access;
}

TEST(LeaseMail, AHeartbeatRequestTouchesAndNothingElseDoes) {
  LeaseTable leases(session, at(0));
  ClusterAccess access = everybody();
  leases.grant(broker(1), no_offset, at(0));
  const Buffer body = heartbeat_head(1, 5, 7);
  Request request;
  request.api_key = 62;
  request.body = body;
  request.arrival = at(50);
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0));
  request.api_key = broker_heartbeat_api_key;
  request.body = Bytes(body).first(19);
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0)) << "cut short";
  request.body = body;
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(50));
  EXPECT_EQ(leases.find(NodeId{1})->offset, Offset{7});
}

// Nobody's heartbeat counts before it is known who may send one, and a stranger's never.
TEST(LeaseMail, AHeartbeatOfOneWhoMayNotActTouchesNothing) {
  LeaseTable leases(session, at(0));
  leases.grant(broker(1), no_offset, at(0));
  const Buffer body = heartbeat_head(1, 5, 7);
  Request request;
  request.api_key = broker_heartbeat_api_key;
  request.body = body;
  request.arrival = at(50);
  ClusterAccess access;
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0));
  AuthorizerConfig config;
  config.enabled = true;
  EXPECT_TRUE(apply_lease_order(leases, access, PublishClusterAccess{std::make_shared<const AccessRules>(config)}));
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(0)) << "not ready";
  config.super_users = {"User:ANONYMOUS"};
  EXPECT_TRUE(apply_lease_order(leases, access, PublishClusterAccess{std::make_shared<const AccessRules>(config)}));
  touch_lease(leases, access, request, log_end);
  EXPECT_EQ(leases.find(NodeId{1})->last_contact, at(50));
}

TEST(LeaseMail, OrdersAreCarriedOut) {
  LeaseTable leases(session, at(0));
  ClusterAccess access;
  EXPECT_TRUE(apply_lease_order(leases, access, GrantLease{broker(1), Offset{4}, at(1)}));
  EXPECT_EQ(leases.find(NodeId{1})->offset, Offset{4});
  EXPECT_TRUE(apply_lease_order(leases, access, DropLease{NodeId{1}}));
  EXPECT_EQ(leases.size(), 0u);
  apply_lease_order(leases, access, GrantLease{broker(1), Offset{4}, at(1)});
  EXPECT_TRUE(apply_lease_order(leases, access, ResetLeases{Epoch{2}}));
  EXPECT_EQ(leases.size(), 0u);
  EXPECT_FALSE(apply_lease_order(leases, access, Stopped{}));
}

}  // namespace
}  // namespace hayward::core

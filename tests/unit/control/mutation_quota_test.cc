// controller_mutation_rate: which quota applies, what its bucket holds, and what creating and deleting topics makes of
// it.
#include <gtest/gtest.h>

#include "cluster.h"
#include "engine/core/control/alter_client_quotas.h"
#include "engine/core/control/create_partitions.h"
#include "engine/core/control/create_topics.h"
#include "engine/core/control/delete_topics.h"
#include "engine/core/control/mutation_quota.h"
#include "engine/core/image/exchange.h"

namespace hayward::core {
namespace {

constexpr std::optional<std::string> by_default = std::nullopt;

MonoTime at_ms(std::int64_t ms) { return MonoTime{} + ms_to_ns(ms); }

struct Quotas {
  void set(const QuotaEntity& entity, double value, const std::string& key = "controller_mutation_rate") {
    std::optional<double> other = value;
    all.exchange(entity, key, other);
  }
  // "alice/c 5": the bucket and its rate.
  std::string of(const std::string& user, std::string_view client) const {
    const auto rate = mutation_rate_of(all, user, client);
    if (!rate) return "none";
    return rate->client.first + "/" + rate->client.second + " " + std::to_string(static_cast<int>(rate->per_second));
  }
  ClientQuotas all;
};

TEST(MutationRate, TheMostSpecificQuotaCounts) {
  Quotas quotas;
  EXPECT_EQ(quotas.of("alice", "c"), "none");
  quotas.set({{"user", "alice"}}, 9, "producer_byte_rate");
  EXPECT_EQ(quotas.of("alice", "c"), "none") << "another quota";
  const std::pair<QuotaEntity, const char*> ascending[] = {
      {{{"client-id", by_default}}, "/c 1"},
      {{{"client-id", "c"}}, "/c 2"},
      {{{"user", by_default}}, "alice/ 3"},
      {{{"user", by_default}, {"client-id", by_default}}, "alice/c 4"},
      {{{"user", by_default}, {"client-id", "c"}}, "alice/c 5"},
      {{{"user", "alice"}}, "alice/ 6"},
      {{{"user", "alice"}, {"client-id", by_default}}, "alice/c 7"},
      {{{"user", "alice"}, {"client-id", "c"}}, "alice/c 8"},
  };
  int rate = 0;
  for (const auto& [entity, expected] : ascending) {
    quotas.set(entity, ++rate);
    EXPECT_EQ(quotas.of("alice", "c"), expected);
  }
  EXPECT_EQ(quotas.of("bob", "d"), "bob/d 4");
  EXPECT_EQ(quotas.of("alice", "d"), "alice/d 7");
}

TEST(MutationQuota, ABucketIsOverdrawnOnceAndWaitsUntilItIsBackAtZero) {
  MutationBuckets buckets(11);
  const MutationRate rate{{"alice", ""}, 2};  // 22 at most
  MutationQuota first(buckets, rate, true, at_ms(0));
  EXPECT_TRUE(first.charge(20));
  EXPECT_TRUE(first.charge(12)) << "2 are left: overdrawn by 10";
  EXPECT_EQ(first.throttle_time_ms(), 0);
  EXPECT_FALSE(first.charge(1));
  EXPECT_EQ(first.throttle_time_ms(), 5000);
  MutationQuota early(buckets, rate, true, at_ms(4999));
  EXPECT_FALSE(early.charge(1));
  EXPECT_EQ(early.throttle_time_ms(), 1);
  MutationQuota in_time(buckets, rate, true, at_ms(5000));
  EXPECT_TRUE(in_time.charge(1));
  MutationQuota other(buckets, MutationRate{{"bob", ""}, 2}, true, at_ms(5000));
  EXPECT_TRUE(other.charge(1)) << "another client's bucket";
}

TEST(MutationQuota, ItFillsUpToTheBurstAndNoFurther) {
  MutationBuckets buckets(11);
  const MutationRate rate{{"alice", ""}, 1};
  MutationQuota(buckets, rate, true, at_ms(0)).charge(11);
  MutationQuota much_later(buckets, rate, true, at_ms(3'600'000));
  EXPECT_TRUE(much_later.charge(12)) << "11 are there";
  EXPECT_FALSE(much_later.charge(1));
  EXPECT_EQ(much_later.throttle_time_ms(), 1000);
}

TEST(MutationQuota, OldClientsAreToldToWaitAndServed) {
  MutationBuckets buckets(1);
  MutationQuota quota(buckets, MutationRate{{"", "c"}, 1}, false, at_ms(0));
  EXPECT_TRUE(quota.charge(3));
  EXPECT_EQ(quota.throttle_time_ms(), 2000);
  EXPECT_TRUE(quota.charge(3));
  EXPECT_EQ(quota.throttle_time_ms(), 5000);
}

TEST(MutationQuota, ATinyRateIsNoOverflow) {
  MutationBuckets buckets(1);
  MutationQuota quota(buckets, MutationRate{{"", "c"}, 1e-300}, true, at_ms(0));
  EXPECT_TRUE(quota.charge(10'000));
  EXPECT_FALSE(quota.charge(1));
  EXPECT_EQ(quota.throttle_time_ms(), 2147483647);
}

TEST(MutationQuota, WithoutAQuotaNothingIsCounted) {
  MutationBuckets buckets(1);
  MutationQuota quota(buckets, std::nullopt, true, at_ms(0));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(quota.charge(10'000));
  EXPECT_EQ(buckets.size(), 0u);
}

TEST(MutationQuota, ClientsThatChooseEverNewIdsDoNotFillTheMemory) {
  MutationBuckets buckets(11);
  for (int i = 0; i < 100'000; ++i) {
    MutationQuota(buckets, MutationRate{{"", std::to_string(i)}, 1}, true, at_ms(i * 100)).charge(1);
  }
  EXPECT_LE(buckets.size(), 1024u);
}

class MutatingRequests : public ::testing::Test {
 protected:
  MutatingRequests() : buckets(11) {}
  // Runs the handler with a quota of one partition a second, of which 11 are there at first.
  template <class Handler>
  auto run(Handler&& handler) {
    quota.emplace(buckets, MutationRate{{"ANONYMOUS", ""}, 1}, true, now);
    return cluster.run([&](HandlerContext context, RecordList& records) {
      context.mutation_quota = &*quota;
      return handler(context, records);
    });
  }
  messages::CreateTopicsResponse create(const Lines& names, std::int32_t partitions, bool validate_only = false) {
    messages::CreateTopicsRequest request;
    request.validate_only = validate_only;
    for (const std::string& name : names) {
      auto& topic = request.topics.push_back(cluster.arena);
      topic.name = cluster.arena.copy(name);
      topic.num_partitions = partitions;
      topic.replication_factor = 1;
    }
    return run([&](const HandlerContext& context, RecordList& records) { return create_topics(context, request, records); });
  }

  TestCluster cluster;
  MutationBuckets buckets;
  MonoTime now = at_ms(0);
  std::optional<MutationQuota> quota;
};

TEST_F(MutatingRequests, TheTopicThatComesTooMuchIsRefusedAlone) {
  const auto response = create({"a", "b", "c"}, 8);
  ASSERT_EQ(response.topics.size(), 3u);
  EXPECT_EQ(response.topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[1].error_code, ErrorCode::none);
  EXPECT_EQ(response.topics[2].error_code, ErrorCode::throttling_quota_exceeded);
  EXPECT_EQ(cluster.image.topics().all().size(), 2u);
  EXPECT_EQ(quota->throttle_time_ms(), 5000);
}

TEST_F(MutatingRequests, WhatFailsForAnotherReasonIsNotCharged) {
  create({"bad name", "."}, 100);
  EXPECT_EQ(create({"a"}, 11).topics[0].error_code, ErrorCode::none);
  EXPECT_EQ(create({"b"}, 1).topics[0].error_code, ErrorCode::none) << "the bucket was at 0";
}

TEST_F(MutatingRequests, ATryIsChargedToo) {
  create({"a"}, 12, true);
  EXPECT_EQ(create({"a"}, 1).topics[0].error_code, ErrorCode::throttling_quota_exceeded) << "as with Kafka";
}

TEST_F(MutatingRequests, DeletionsAndNewPartitionsCountEachPartition) {
  create({"a"}, 12);
  messages::CreatePartitionsRequest more;
  auto& growth = more.topics.push_back(cluster.arena);
  growth.name = "a";
  growth.count = 14;
  growth.assignments = Array<messages::CreatePartitionsRequest::CreatePartitionsAssignment>::null();
  const auto grow = [&] {
    return run([&](const HandlerContext& context, RecordList& records) { return create_partitions(context, more, records); })
        .results[0]
        .error_code;
  };
  messages::DeleteTopicsRequest removal;
  removal.topics.push_back(cluster.arena).name = "a";
  const auto remove = [&] {
    const auto response =
        run([&](const HandlerContext& context, RecordList& records) { return delete_topics(context, removal, records); });
    EXPECT_EQ(response.responses[0].name, "a");
    return response.responses[0].error_code;
  };
  EXPECT_EQ(grow(), ErrorCode::throttling_quota_exceeded);
  EXPECT_EQ(remove(), ErrorCode::throttling_quota_exceeded);
  now = at_ms(1000);
  EXPECT_EQ(grow(), ErrorCode::none);
  EXPECT_EQ(remove(), ErrorCode::throttling_quota_exceeded);
  EXPECT_EQ(quota->throttle_time_ms(), 2000);
  now = at_ms(3000);
  EXPECT_EQ(remove(), ErrorCode::none);
  EXPECT_EQ(create({"b"}, 1).topics[0].error_code, ErrorCode::throttling_quota_exceeded);
  EXPECT_EQ(quota->throttle_time_ms(), 14'000);
}

}  // namespace
}  // namespace hayward::core

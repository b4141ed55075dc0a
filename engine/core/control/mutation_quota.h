// controller_mutation_rate (KIP-599): how many partitions a second a client may have created and deleted. Kafka holds
// clients to it here, at the active controller, by a token bucket for each user, client id or pair that a quota tells
// apart. A bucket holds some seconds' worth, may be overdrawn by one operation, and takes no other until it is back
// at 0. Soft state: every activation in another process begins with full buckets.
// Owner: the node (the buckets), one request (a quota). Shard 0, active controller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/time.h"
#include "engine/core/image/quotas.h"

namespace hayward::core {

// The quota that applies to a client: the bucket's name, and its rate.
struct MutationRate {
  std::pair<std::string, std::string> client;  // user, client id; empty where the quota does not tell them apart
  double per_second = 0;
};

// Of all that fit, the most specific one in Kafka's order: users before client ids, names before defaults. nullopt: no
// quota applies.
std::optional<MutationRate> mutation_rate_of(const ClientQuotas& quotas, const std::string& user,
                                             std::string_view client_id);

class MutationBuckets {
 public:
  // A bucket holds `burst_s` seconds' worth.
  explicit MutationBuckets(double burst_s) : burst_s_(burst_s) {}

  // What is in the bucket now. The reference is good until the next call.
  double& tokens(const MutationRate& rate, MonoTime now);
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    double burst = 0;
    double per_second = 0;
    MonoTime updated;
    double tokens_at(MonoTime now) const;
  };
  void forget_idle(MonoTime now);

  double burst_s_;
  std::map<std::pair<std::string, std::string>, Bucket> buckets_;
  std::size_t forget_at_ = 1024;  // clients choose their ids: buckets that say nothing any more go at this size
};

// One request's dealings with its bucket.
class MutationQuota {
 public:
  // Strict: what comes while the bucket is overdrawn is refused. Otherwise (old clients do not know the error) it is
  // let through, and only the answer's throttle time tells of it.
  MutationQuota(MutationBuckets& buckets, std::optional<MutationRate> rate, bool strict, MonoTime now)
      : buckets_(buckets), rate_(std::move(rate)), strict_(strict), now_(now) {}

  // False: refused, THROTTLING_QUOTA_EXCEEDED, and nothing is charged.
  bool charge(std::size_t partitions);
  // How long the client is to wait; 0: not at all.
  std::int32_t throttle_time_ms() const { return throttle_time_ms_; }

 private:
  void note_overdraft(double tokens);

  MutationBuckets& buckets_;
  std::optional<MutationRate> rate_;
  bool strict_;
  MonoTime now_;
  std::int32_t throttle_time_ms_ = 0;
};

}  // namespace hayward::core

// See mutation_quota.h.
#include "engine/core/control/mutation_quota.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hayward::core {
namespace {

constexpr std::string_view rate_key = "controller_mutation_rate";
constexpr std::int64_t idle_ms = 3'600'000;  // Kafka's, for what it keeps of a client

// Less than this is what adding fractions leaves: nobody is refused for it after having waited as long as told.
constexpr double rounding = 1e-6;

bool is_overdrawn(double tokens) { return tokens < -rounding; }

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

std::optional<MutationRate> mutation_rate_of(const ClientQuotas& quotas, const std::string& user,
                                             std::string_view client_id) {
  if (quotas.all().empty()) return std::nullopt;
  const std::string client(client_id);
  const auto find = [&](QuotaEntity entity, bool by_user, bool by_client) -> std::optional<MutationRate> {
    const QuotaMap& present = quotas.of(entity);
    const auto at = present.find(rate_key);
    if (at == present.end()) return std::nullopt;
    return MutationRate{{by_user ? user : "", by_client ? client : ""}, at->second};
  };
  const std::optional<std::string> by_default;
  for (const auto& name : {std::optional(user), by_default}) {
    if (auto rate = find({{"user", name}, {"client-id", client}}, true, true)) return rate;
    if (auto rate = find({{"user", name}, {"client-id", by_default}}, true, true)) return rate;
    if (auto rate = find({{"user", name}}, true, false)) return rate;
  }
  if (auto rate = find({{"client-id", client}}, false, true)) return rate;
  return find({{"client-id", by_default}}, false, true);
}

double MutationBuckets::Bucket::tokens_at(MonoTime now) const {
  return std::min(burst, tokens + per_second * seconds(now - updated));
}

double& MutationBuckets::tokens(const MutationRate& rate, MonoTime now) {
  auto at = buckets_.find(rate.client);
  const double burst = burst_s_ * rate.per_second;
  if (at == buckets_.end()) {
    forget_idle(now);
    at = buckets_.try_emplace(rate.client, Bucket{burst, burst, rate.per_second, now}).first;
  }
  Bucket& bucket = at->second;
  bucket.burst = burst;
  bucket.per_second = rate.per_second;
  bucket.tokens = bucket.tokens_at(now);
  bucket.updated = now;
  return bucket.tokens;
}

void MutationBuckets::forget_idle(MonoTime now) {
  if (buckets_.size() < forget_at_) return;
  std::erase_if(buckets_, [&](const auto& entry) {
    const Bucket& bucket = entry.second;
    return now - bucket.updated >= ms_to_ns(idle_ms) || bucket.tokens_at(now) >= bucket.burst;
  });
  forget_at_ = std::max(forget_at_, 2 * buckets_.size());
}

bool MutationQuota::charge(std::size_t partitions) {
  if (!rate_) return true;
  double& tokens = buckets_.tokens(*rate_, now_);
  if (strict_ && is_overdrawn(tokens)) {
    note_overdraft(tokens);
    return false;
  }
  tokens -= static_cast<double>(partitions);
  if (!strict_ && is_overdrawn(tokens)) note_overdraft(tokens);
  return true;
}

void MutationQuota::note_overdraft(double tokens) {
  constexpr double longest_ms = std::numeric_limits<std::int32_t>::max();
  throttle_time_ms_ = static_cast<std::int32_t>(std::min(longest_ms, std::round(-tokens / rate_->per_second * 1000)));
}

}  // namespace hayward::core

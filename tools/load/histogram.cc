// See histogram.h.
#include "tools/load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hayward::tools {
namespace {

constexpr unsigned linear_bits = 7;
constexpr std::uint64_t linear = 1u << linear_bits;

std::size_t bucket_of(std::uint64_t value) {
  if (value < linear) return value;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - linear_bits - 1;
  return shift * linear + (value >> shift);
}

std::int64_t upper_end(std::size_t bucket) {
  if (bucket < linear) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = bucket / linear - 1;
  const std::uint64_t top = linear + bucket % linear + 1;
  return static_cast<std::int64_t>((top << shift) - 1);
}

}  // namespace

Histogram::Histogram() : buckets_(bucket_of(INT64_MAX) + 1) {}

void Histogram::record(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  ++buckets_[bucket_of(static_cast<std::uint64_t>(ns))];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
  sum_ns_ += static_cast<double>(ns);
}

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
  sum_ns_ += other.sum_ns_;
}

Histogram Histogram::since(const Histogram& before) const {
  Histogram result;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    result.buckets_[i] = buckets_[i] - before.buckets_[i];
    if (result.buckets_[i] > 0) result.max_ns_ = std::min(upper_end(i), max_ns_);
  }
  result.count_ = count_ - before.count_;
  result.sum_ns_ = sum_ns_ - before.sum_ns_;
  return result;
}

std::int64_t Histogram::percentile_ns(double percent) const {
  const double rank = std::ceil(percent / 100 * static_cast<double>(count_));
  const std::uint64_t wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    passed += buckets_[i];
    if (passed >= wanted) return std::min(upper_end(i), max_ns_);
  }
  return max_ns_;
}

}  // namespace hayward::tools

// Latencies in a log-linear histogram: 128 buckets to each doubling, so that a percentile is at most 0.8 %
// above the true value whatever the range; 57 KiB, and recording is two additions.
// Owner: one phase of `hayward load`. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace hayward::tools {

class Histogram {
 public:
  Histogram();
  // Negative values count as 0.
  void record(std::int64_t ns);
  // Adds what another one has recorded.
  void add(const Histogram& other);
  // What has been recorded since `before`, an earlier copy of this one; its maximum is the upper end of a bucket.
  Histogram since(const Histogram& before) const;
  std::uint64_t count() const { return count_; }
  std::int64_t max_ns() const { return max_ns_; }
  double mean_ns() const { return count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_); }
  // The value that `percent` (0 to 100) of all values do not exceed: the upper end of its bucket, never above
  // the maximum. 0 when empty.
  std::int64_t percentile_ns(double percent) const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::int64_t max_ns_ = 0;
  double sum_ns_ = 0;
};

}  // namespace hayward::tools

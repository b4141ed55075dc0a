// When each request of an open loop is meant to be sent. The times are fixed beforehand and latency is counted from
// them: an answer that is late makes the requests behind it late too, and that shows (no coordinated omission).
// Request i goes out on slot i % slots, so each slot has its own row of times.
// Owner: one phase of `hayward load`. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hayward::tools {

class Schedule {
 public:
  // rate_per_s > 0.
  Schedule(std::int64_t begin_ns, std::int64_t end_ns, double rate_per_s, std::size_t slots)
      : begin_ns_(begin_ns), interval_ns_(1e9 / rate_per_s), slots_(slots), total_(before(end_ns)) {}

  std::int64_t intended_ns(std::uint64_t i) const {
    return begin_ns_ + static_cast<std::int64_t>(static_cast<double>(i) * interval_ns_);
  }
  // How many are meant to be sent in all, and up to and including `now_ns`.
  std::uint64_t total() const { return total_; }
  std::uint64_t due(std::int64_t now_ns) const { return std::min(total_, before(now_ns + 1)); }
  // Of the first `due`: those of one slot.
  std::uint64_t due_on(std::size_t slot, std::uint64_t due) const {
    return due <= slot ? 0 : (due - slot - 1) / slots_ + 1;
  }
  // The slot's k-th, as a number among all.
  std::uint64_t index(std::size_t slot, std::uint64_t k) const { return k * slots_ + slot; }
  // None is meant to be sent at or after `now_ns`.
  void end_at(std::int64_t now_ns) { total_ = std::min(total_, before(now_ns)); }

 private:
  std::uint64_t before(std::int64_t at_ns) const {
    if (at_ns <= begin_ns_) return 0;
    auto count = static_cast<std::uint64_t>(static_cast<double>(at_ns - begin_ns_) / interval_ns_);
    while (intended_ns(count) < at_ns) ++count;
    while (count > 0 && intended_ns(count - 1) >= at_ns) --count;
    return count;
  }

  std::int64_t begin_ns_;
  double interval_ns_;
  std::size_t slots_;
  std::uint64_t total_;
};

}  // namespace hayward::tools

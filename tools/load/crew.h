// The threads that carry one load together: each has its share of the brokers, and they go from part to part in step.
// Nothing here blocks: a thread that waits for the others goes on turning its port (its brokers heartbeat meanwhile).
// Owner: `hayward load`. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace hayward::tools {

class Crew {
 public:
  explicit Crew(std::size_t threads) : threads_(threads) {}

  std::size_t threads() const { return threads_; }

  // The caller is at the meeting point; everybody is when passed(what this returned).
  std::uint64_t arrive() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t meeting = meetings_.load(std::memory_order_relaxed);
    if (++arrived_ == threads_) {
      arrived_ = 0;
      verdict_ = failed_;
      meetings_.store(meeting + 1, std::memory_order_release);
    }
    return meeting;
  }
  bool passed(std::uint64_t meeting) const { return meetings_.load(std::memory_order_acquire) > meeting; }

  // One has failed: all learn it at their next meeting.
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }
  // As of the meeting that was passed last: the same for every thread.
  bool failed() const { return verdict_; }

  // When brokers that are about to die were last heard, at the earliest and at the latest.
  void note_contact(std::int64_t first_ns, std::int64_t last_ns) {
    const std::lock_guard lock(mutex_);
    first_contact_ns_ = std::min(first_contact_ns_, first_ns);
    last_contact_ns_ = std::max(last_contact_ns_, last_ns);
  }
  void forget_contacts() {
    const std::lock_guard lock(mutex_);
    first_contact_ns_ = INT64_MAX;
    last_contact_ns_ = 0;
  }
  // Between two meetings in which nobody notes any.
  std::int64_t first_contact_ns() const { return first_contact_ns_; }
  std::int64_t last_contact_ns() const { return last_contact_ns_; }

 private:
  const std::size_t threads_;
  std::mutex mutex_;
  std::size_t arrived_ = 0;
  bool failed_ = false;
  bool verdict_ = false;
  std::atomic<std::uint64_t> meetings_ = 0;
  std::int64_t first_contact_ns_ = INT64_MAX;
  std::int64_t last_contact_ns_ = 0;
};

}  // namespace hayward::tools

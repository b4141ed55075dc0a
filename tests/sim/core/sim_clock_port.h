// A clock and timers, and what a test queues for the next turn.
// Owner: a simulated shard.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "tests/sim/core/timer_port.h"

namespace hayward::sim {

class ClockPort final : public TimerPort {
 public:
  ClockPort() { now = 0; }

  // Timers that are due, then everything in `inputs`.
  unsigned run_once(bool) override {
    const Completed due = take_due();
    const auto completions = static_cast<unsigned>(inputs.size());
    if (begin) std::exchange(begin, nullptr)();
    complete(due);
    for (std::deque<std::function<void()>> taken = std::exchange(inputs, {}); !taken.empty(); taken.pop_front()) {
      taken.front()();
    }
    return completions;
  }
  std::int64_t next_timer_ns() const { return has_completed() ? now : earliest_timer_ns(); }

  std::deque<std::function<void()>> inputs;
  std::function<void()> begin;  // of the next turn's handling; no completion
};

}  // namespace hayward::sim

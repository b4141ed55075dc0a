// Virtual time: moves only when a simulated port waits, or when the simulator says so. The monotonic and
// the wall part move together until the wall clock is made to jump.
// Owner: one simulation; all its ports share it.
#pragma once

#include <cstdint>

#include "schemas/runtime/assert.h"

namespace hayward::sim {

class SimClock {
 public:
  std::int64_t now_ns() const { return now_ns_; }
  std::int64_t wall_ms() const { return wall_ms_at_zero_ + now_ns_ / 1'000'000; }

  void advance_to(std::int64_t ns) {
    HAYWARD_ASSERT(ns >= now_ns_, "time does not go back");
    now_ns_ = ns;
  }
  void jump_wall_ms(std::int64_t by_ms) { wall_ms_at_zero_ += by_ms; }

 private:
  std::int64_t now_ns_ = 1'000'000'000;
  std::int64_t wall_ms_at_zero_ = 1'750'000'000'000;
};

}  // namespace hayward::sim

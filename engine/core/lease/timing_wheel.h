// A hashed timing wheel over small indices: which of them are due. One revolution is longer than a
// session, so a slot never holds two revolutions' worth. The owner keeps the exact deadlines; the wheel
// is told a time when an index is first scheduled and is not bothered by renewals: an index that
// comes up too early is scheduled again by its owner.
// Owner: LeaseTable. Any shard.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/time.h"

namespace hayward::core {

class TimingWheel {
 public:
  static constexpr std::uint32_t slot_count = 1024;

  // tick_ns > 0. The wheel reaches slot_count - 1 ticks ahead of `now`.
  TimingWheel(std::int64_t tick_ns, MonoTime now);

  std::int64_t tick_ns() const { return tick_ns_; }

  // `index` comes up at the first tick after `at` (never before `at` has passed), or at the end of
  // the wheel's reach if that is nearer. It must not be scheduled already.
  void schedule(std::uint32_t index, MonoTime at);
  // No effect if it is not scheduled.
  void cancel(std::uint32_t index);
  void clear();

  // Moves the hand to `now` and appends to `due` every index whose tick has come, in no particular
  // order; they are then no longer scheduled.
  void advance(MonoTime now, std::vector<std::uint32_t>& due);

  // The time of the next tick that has anything; mono_never when the wheel is empty.
  MonoTime next_due() const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Node {
    std::uint32_t next = none;
    std::uint32_t previous = none;
    std::uint32_t slot = none;  // none: not scheduled
  };

  std::int64_t tick_of(MonoTime t) const;
  void take_slot(std::uint32_t slot, std::vector<std::uint32_t>& due);

  std::int64_t tick_ns_;
  std::int64_t hand_;  // ticks up to and including this one are done
  std::array<std::uint32_t, slot_count> heads_;
  std::array<std::uint64_t, slot_count / 64> occupied_{};  // one bit per slot
  std::vector<Node> nodes_;                                // by index
};

}  // namespace hayward::core

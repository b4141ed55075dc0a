// The node's own deadlines, and the one wake-up that the host keeps for all of them.
// Owner: the node. Shard 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/base/time.h"
#include "engine/core/effect.h"

namespace hayward::core {

enum class Timer : std::uint8_t {
  no_op,               // metadata.max.idle.interval.ms
  unclean_election,    // unclean.leader.election.interval.ms
  preferred_election,  // leader.imbalance.check.interval.seconds
  token_sweep,         // delegation.token.expiry.check.interval.ms
  broker_work,         // the next slice of it, at once
  stop_grace,          // how long a stop waits for what is parked
  farewell,            // and then for the voters to hear that the epoch is over
  count_,
};

class Timers {
 public:
  Timers() { at_.fill(mono_never); }

  void set(Timer timer, MonoTime at) { at_[index(timer)] = at; }
  void clear(Timer timer) { set(timer, mono_never); }
  bool is_set(Timer timer) const { return at_[index(timer)] != mono_never; }
  // True once when its time has come; it is then off until it is set again.
  bool take(Timer timer, MonoTime now) {
    if (at_[index(timer)] > now) return false;
    clear(timer);
    return true;
  }

  // The host's wake-up is used up.
  void ticked() { armed_ = mono_never; }
  // Asks for a wake-up at the earliest deadline, `also` included, unless one as early is on its way. One that
  // turns out too early does no harm.
  void arm(MonoTime also, Effects& out) {
    const MonoTime next = std::min(also, *std::min_element(at_.begin(), at_.end()));
    if (next >= armed_) return;
    armed_ = next;
    out.push_back(ArmTimer{next});
  }

 private:
  static std::size_t index(Timer timer) { return static_cast<std::size_t>(timer); }

  std::array<MonoTime, static_cast<std::size_t>(Timer::count_)> at_;
  MonoTime armed_ = mono_never;
};

}  // namespace hayward::core

// One deadline that can be moved, over Port::timeout (whose deadlines cannot). A move to a later time costs
// nothing: the running timeout fires, sees that it is early and is armed again.
// Owner: the shard of its port.
#pragma once

#include <cstdint>

#include "engine/host/ring/ring.h"

namespace hayward::ring {

class DeadlineTimer {
 public:
  using Fired = void (*)(void* owner);
  DeadlineTimer(Port& port, Fired fired, void* owner);
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  // Calls `fired` once, from the port's loop, at deadline_ns (now_ns's clock) or as soon after as the
  // loop turns; replaces the deadline before. INT64_MAX: never.
  void set(std::int64_t deadline_ns);
  // Moves it only if that makes it earlier.
  void set_if_earlier(std::int64_t deadline_ns) {
    if (deadline_ns < deadline_ns_) set(deadline_ns);
  }
  std::int64_t deadline_ns() const { return deadline_ns_; }
  // Nothing of it is in the port's hands.
  bool quiet() const { return !timeout_.in_flight && !cancel_.in_flight; }

 private:
  void arm();
  void on_timeout();

  Port& port_;
  Fired fired_;
  void* owner_;
  std::int64_t deadline_ns_ = INT64_MAX;
  std::int64_t armed_ns_ = INT64_MAX;  // what the timeout in flight waits for
  Operation timeout_;
  Operation cancel_;
};

}  // namespace hayward::ring

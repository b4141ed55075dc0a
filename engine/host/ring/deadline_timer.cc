// See deadline_timer.h.
#include "engine/host/ring/deadline_timer.h"

#include <cerrno>

namespace hayward::ring {

DeadlineTimer::DeadlineTimer(Port& port, Fired fired, void* owner) : port_(port), fired_(fired), owner_(owner) {
  timeout_.owner = this;
  timeout_.handler = [](Operation& self, const Completion& completion) {
    // Anything else: the port is dead, and arming again would go round for ever.
    if (completion.result != -ETIME && completion.result != -ECANCELED) return;
    static_cast<DeadlineTimer*>(self.owner)->on_timeout();
  };
  cancel_.owner = this;
  cancel_.handler = [](Operation& self, const Completion&) { static_cast<DeadlineTimer*>(self.owner)->arm(); };
}

void DeadlineTimer::set(std::int64_t deadline_ns) {
  deadline_ns_ = deadline_ns;
  arm();
}

void DeadlineTimer::arm() {
  if (deadline_ns_ == INT64_MAX) return;  // one in flight finds nothing due
  if (!timeout_.in_flight) {
    armed_ns_ = deadline_ns_;
    port_.timeout(timeout_, armed_ns_);
  } else if (deadline_ns_ < armed_ns_ && !cancel_.in_flight) {
    port_.cancel(cancel_, timeout_);  // its completion arms the earlier one
  }
}

void DeadlineTimer::on_timeout() {
  if (deadline_ns_ != INT64_MAX && deadline_ns_ <= port_.now_ns()) {
    deadline_ns_ = INT64_MAX;
    fired_(owner_);
  }
  arm();
}

}  // namespace hayward::ring

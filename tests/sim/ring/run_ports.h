// Several simulated processes on one clock: whichever is due first goes on.
// Owner: the simulation's driver.
#pragma once

#include <algorithm>
#include <span>

#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {

// One round of the port that is due first (of equals: the first in the list), at its time. False if none
// will ever be due, or none before `until_ns`: then the clock stands at until_ns.
inline bool run_next_port(SimClock& clock, std::span<SimPort* const> ports, std::int64_t until_ns = SimPort::never) {
  const auto first = std::ranges::min_element(ports, {}, [](const SimPort* port) { return port->next_due_ns(); });
  const std::int64_t due_ns = first == ports.end() ? SimPort::never : (*first)->next_due_ns();
  if (due_ns == SimPort::never || due_ns > until_ns) {
    if (until_ns != SimPort::never) clock.advance_to(std::max(until_ns, clock.now_ns()));
    return false;
  }
  clock.advance_to(due_ns);
  (*first)->run_once(false);
  return true;
}

}  // namespace hayward::sim

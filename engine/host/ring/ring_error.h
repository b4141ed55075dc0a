// Why a ring could not be made, in words that an operator can act on: what the kernel said, what most
// likely stands behind it, and what to do.
// Owner: engine/host/ring. The thread that creates the ring.
#pragma once

#include <string>

namespace hayward::ring {

struct RingError {
  int error = 0;  // errno of the call that failed
  std::string what;
};

// What the kernel reveals about its io_uring switch: the value of sysctl kernel.io_uring_disabled
// (0 on, 1 privileged only, 2 off), or -1 where it has none.
int io_uring_disabled_sysctl();

// `call` names what failed ("io_uring_setup"); `disabled` as above.
RingError explain_setup_error(int error, const char* call, int disabled);

}  // namespace hayward::ring

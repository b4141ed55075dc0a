// The port on Linux's io_uring. Needs kernel 6.0 (multishot receive), made for 6.1 and newer.
// Owner: one shard. Create it on the thread that will use it (the kernel holds it to that thread);
// only wake() may be called from others.
#pragma once

#include <expected>
#include <memory>

#include "engine/host/ring/ring.h"
#include "engine/host/ring/ring_error.h"

namespace hayward::ring {

// Destroying the port cancels what is in flight and waits for it, without calling handlers.
std::expected<std::unique_ptr<Port>, RingError> create_uring(const RingOptions& options);

}  // namespace hayward::ring

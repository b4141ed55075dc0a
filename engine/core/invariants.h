// The invariants that one image, or one step from image to image, can be checked for. Ids are those of
// docs/invariants.md. Used by tests and the simulator after every step, and in production behind a switch:
// the step check costs what the records touched, the full check costs the whole image.
// Owner: engine/core. Shard 0.
#pragma once

#include <optional>
#include <string>

#include "engine/core/image/image.h"

namespace hayward::core {

// "C1: topic foo partition 3: leader 5 is not in the ISR [1, 2]" for the first one broken; nullopt: all hold.
std::optional<std::string> check(const Image& image);

}  // namespace hayward::core

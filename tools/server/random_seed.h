// The one place where true randomness comes in: seeds and ids are made here and handed down.
// Owner: tools. Start-up.
#pragma once

#include <cstdint>

namespace hayward::tools {

// 64 bits from the kernel.
std::uint64_t random_seed();

}  // namespace hayward::tools

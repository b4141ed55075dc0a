// The 0-0 checkpoint that formatting leaves in a dynamic quorum: its voters.
// Owner: the test.
#pragma once

#include <vector>

#include "engine/core/types.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

std::vector<Buffer> bootstrap_checkpoint(const std::vector<Voter>& voters);

}  // namespace hayward::core

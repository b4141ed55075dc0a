// What a leader sends of its log, appended to ours: the bytes as they are, each batch checked first.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "schemas/runtime/bytes.h"

namespace hayward::core::raft {

struct Turn;

// Whole batches, from this log's end on; an incomplete one at the end is left for the next time. False: not even the
// first of them can be appended, which is logged.
bool append_from_leader(Turn& turn, Bytes records);

}  // namespace hayward::core::raft

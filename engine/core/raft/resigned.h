// Role: has led this epoch and leads no more (a stop). It keeps the epoch, and never leads it again (R12).
// Owner: raft/quorum.h. Shard 0.
#pragma once

namespace hayward::core::raft {

struct Resigned {};

}  // namespace hayward::core::raft

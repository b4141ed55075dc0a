// An encoded record batch: immutable, shared by the log's writer, fetch answers and the network
// until the last lets go. Encoded once for any number of readers.
// Owner: shared; safe on any shard.
#pragma once

#include <cstdint>
#include <memory>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward {

struct EncodedBatch {
  Offset base;            // first offset
  Offset last;            // last offset, inclusive
  Epoch epoch;            // partitionLeaderEpoch
  std::int64_t append_wall_ms = 0;
  bool control = false;
  Buffer bytes;           // header and records, as on the wire and in the log
};
using BatchPtr = std::shared_ptr<const EncodedBatch>;

}  // namespace hayward

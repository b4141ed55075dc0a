// Writes the image as a checkpoint, record for record in the order in which Kafka writes one. Loading it
// is the replay of its records into an empty image.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/image/image.h"
#include "engine/core/types.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

inline constexpr std::size_t snapshot_records_per_batch = 1024;  // Kafka's

// What a checkpoint says beside the image.
struct SnapshotMeta {
  Epoch epoch;                               // the snapshot id's; every batch carries it
  std::int64_t last_contained_wall_ms = 0;   // append time of the last batch contained, for the header
  std::int64_t now_wall_ms = 0;              // the batches' timestamps
  std::int16_t kraft_version = 0;            // >= 1: written with `voters` behind the header
  std::vector<Voter> voters;
};

// The complete file: the header's control batch, data batches, the footer's control batch; offsets from 0.
// The image must hold committed state only, and no open transaction.
std::vector<Buffer> write_snapshot(const Image& image, const SnapshotMeta& meta);

}  // namespace hayward::core

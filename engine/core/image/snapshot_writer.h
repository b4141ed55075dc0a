// Writes the image as a checkpoint, record for record in the order in which Kafka writes one. Loading it
// is the replay of its records into an empty image.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

// Writes one checkpoint: the image as it is when the writer is made, whatever is replayed into it or undone afterwards. It
// is encoded in slices, from pre-images where it has changed.
class SnapshotWriter {
 public:
  // `image` must hold no open transaction, outlive the writer, and have no other one.
  SnapshotWriter(Image& image, SnapshotMeta meta);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // The next batches of the file: at most `max_entries` topics, partitions, configs, ACLs and so on, and about 256 bytes for
  // each of them: a large one counts as several.
  std::vector<Buffer> next(std::size_t max_entries);
  // All has been given.
  bool done() const;
  // How much is kept of what has changed since.
  std::size_t pre_images() const;

 private:
  class Encoder;
  std::unique_ptr<Encoder> encoder_;
};

// The complete file in one go: the header's control batch, data batches, the footer's control batch; offsets
// from 0.
std::vector<Buffer> write_snapshot(Image& image, const SnapshotMeta& meta);

}  // namespace hayward::core

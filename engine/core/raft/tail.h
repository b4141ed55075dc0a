// The batches of the log's end that are not known to be committed: what a follower will replay once they are, what a
// leader that loses its place takes out of the image again, and where the log may be cut.
// Owner: the node. Shard 0.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "engine/base/batch.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

// A batch of another's making, as it is kept.
inline BatchPtr copy_of(const BatchHeader& header, Bytes bytes) {
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = header.base_offset;
  batch->last = header.last_offset();
  batch->epoch = header.epoch;
  batch->append_wall_ms = header.max_timestamp_ms;
  batch->control = header.is_control();
  batch->bytes.assign(bytes.begin(), bytes.end());
  return batch;
}

class Tail {
 public:
  void add(BatchPtr batch) { batches_.push_back(std::move(batch)); }
  // Ascending and without gaps, up to the log's end.
  const std::deque<BatchPtr>& batches() const { return batches_; }
  // Whether one of them begins at `offset`.
  bool begins_at(Offset offset) const {
    for (const BatchPtr& batch : batches_) {
      if (batch->base == offset) return true;
    }
    return false;
  }
  // Everything below `end` is committed.
  void committed(Offset end) {
    while (!batches_.empty() && batches_.front()->last < end) batches_.pop_front();
  }
  void truncated(Offset end) {
    while (!batches_.empty() && batches_.back()->base >= end) batches_.pop_back();
  }
  void clear() { batches_.clear(); }

 private:
  std::deque<BatchPtr> batches_;
};

}  // namespace hayward::core::raft

// The batches of the log's end that are not known to be committed: what a follower will replay once they are, what a
// leader that loses its place takes out of the image again, and where the log may be cut.
// Owner: the node. Shard 0.
#pragma once

#include <deque>

#include "engine/base/batch.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

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

// The newest batches in memory: what is not on disk yet, and recent ones up to a bound, for the fetches of
// those who keep up.
// Owner: Log. Shard 0.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "engine/base/batch.h"

namespace hayward::log {

class TailCache {
 public:
  // `limit_bytes` bounds what is flushed; unflushed batches always stay.
  explicit TailCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Batches follow one another without gaps.
  void append(BatchPtr batch);
  // Everything below `end` is flushed: it may go.
  void flushed(Offset end);
  // Forgets batches from `end` on.
  void truncate(Offset end);

  bool holds(Offset offset) const { return !batches_.empty() && offset >= batches_.front()->base && offset <= batches_.back()->last; }
  // Whole batches from the one that holds `from`, that end at or before `to`, at most max_bytes but at
  // least one (if any ends before `to`). holds(from).
  std::vector<BatchPtr> read(Offset from, Offset to, std::size_t max_bytes) const;
  std::size_t bytes() const { return bytes_; }

 private:
  void evict();

  std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
  Offset flushed_{0};
  std::deque<BatchPtr> batches_;
};

}  // namespace hayward::log

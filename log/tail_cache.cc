#include "log/tail_cache.h"

#include <algorithm>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::log {

void TailCache::append(BatchPtr batch) {
  HAYWARD_ASSERT(batches_.empty() || batch->base.value == batches_.back()->last.value + 1, "batches without gaps");
  bytes_ += batch->bytes.size();
  batches_.push_back(std::move(batch));
  evict();
}

void TailCache::flushed(Offset end) {
  flushed_ = std::max(flushed_, end);
  evict();
}

void TailCache::evict() {
  while (bytes_ > limit_bytes_ && batches_.front()->last < flushed_) {
    bytes_ -= batches_.front()->bytes.size();
    batches_.pop_front();
  }
}

void TailCache::truncate(Offset end) {
  while (!batches_.empty() && batches_.back()->last >= end) {
    bytes_ -= batches_.back()->bytes.size();
    batches_.pop_back();
  }
  flushed_ = std::min(flushed_, end);
}

std::vector<BatchPtr> TailCache::read(Offset from, Offset to, std::size_t max_bytes) const {
  std::vector<BatchPtr> batches;
  std::size_t bytes = 0;
  auto at = std::partition_point(batches_.begin(), batches_.end(), [&](const BatchPtr& b) { return b->last < from; });
  for (; at != batches_.end() && (*at)->last < to; ++at) {
    if (!batches.empty() && bytes + (*at)->bytes.size() > max_bytes) break;
    bytes += (*at)->bytes.size();
    batches.push_back(*at);
  }
  return batches;
}

}  // namespace hayward::log

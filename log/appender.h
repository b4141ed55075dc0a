// Appends: group commit without linger. What arrived while the last write was under way goes out as the
// next one, in one durable write; a lone batch costs one sync and no timer. One write at a time, so the
// order of completion is the order of the log. The first failed write or sync is the last thing that is
// done with this log.
// Owner: Log. Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "engine/base/batch.h"
#include "log/context.h"
#include "log/marker.h"
#include "log/segments.h"
#include "log/state_files.h"
#include "log/tail_cache.h"
#include "log/trash.h"

namespace hayward::log {

// One write takes at most so many batches, and no more bytes unless its only batch is larger. Recovery
// relies on the bytes: batches further apart than this were not in one write.
inline constexpr std::size_t max_group_batches = 512;
inline constexpr std::size_t max_group_bytes = 1 << 20;

class Appender {
 public:
  Appender(Context& context, Segments& segments, TailCache& cache, Marker& marker, StateFiles& state,
           Trash& trash)
      : context_(context), segments_(segments), cache_(cache), marker_(marker), state_(state), trash_(trash),
        end_(segments.flushed_end()) {}

  TaskScope& tasks() { return context_.tasks(); }
  void append(BatchPtr batch);
  void truncate(Offset end);
  // The log has been emptied, and goes on at `end`. While idle only.
  void restart_at(Offset end);
  Offset end() const { return end_; }
  // Rises with each truncation: a reader that began under another generation looks again.
  std::uint64_t generation() const { return generation_; }
  // Open while nothing is queued or under way.
  Gate& idle() { return idle_; }

 private:
  using Item = std::variant<BatchPtr, Offset>;  // Offset: truncate to

  void kick();
  Task run();
  bool must_roll(const EncodedBatch& next, std::int64_t size_before) const;
  Step<bool> roll();
  Step<bool> write_group();
  Step<bool> truncate_to(Offset end);
  Step<bool> activate_last();
  void written(const std::vector<BatchPtr>& group);
  bool check(std::int32_t result, const std::string& path, const std::string& what);

  Context& context_;
  Segments& segments_;
  TailCache& cache_;
  Marker& marker_;
  StateFiles& state_;
  Trash& trash_;
  std::deque<Item> queue_;
  Offset end_;                   // where the next batch begins
  std::uint64_t generation_ = 0;
  Gate idle_;
};

}  // namespace hayward::log

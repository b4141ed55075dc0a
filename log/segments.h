// The segments as they are on disk, in memory: base, end, size, sparse index of each. The last is active.
// Owner: Log. Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "log/batch_check.h"
#include "log/context.h"
#include "log/index_format.h"

namespace hayward::log {

struct Segment {
  Offset base{0};
  Offset end{0};                     // the next segment's base
  std::int64_t size = 0;             // bytes of whole, flushed batches
  std::int64_t first_wall_ms = -1;   // append time of the first batch
  IndexBuilder index;
  // Of the active segment only:
  OpenFilePtr file;
  OpenFilePtr index_file;
  OpenFilePtr time_index_file;
  std::size_t index_entries_written = 0;
  std::size_t time_index_entries_written = 0;

  void add(const BatchHeader& batch) {
    index.add(static_cast<std::int32_t>(batch.last_offset().value - base.value), static_cast<std::int32_t>(size),
              static_cast<std::int32_t>(batch.size()), batch.max_timestamp_ms);
    if (first_wall_ms < 0) first_wall_ms = batch.max_timestamp_ms;
    size += static_cast<std::int64_t>(batch.size());
    end = end_of(batch);
  }
  // Where to start looking for the batch that holds `offset`.
  std::int64_t position_before(Offset offset) const {
    return index.position_before(static_cast<std::int32_t>(offset.value - base.value));
  }
  std::string file_name(std::string_view suffix = log_suffix) const { return segment_file_name(base, suffix); }
};

class Segments {
 public:
  std::deque<Segment> all;           // never empty once recovered
  Offset log_start{0};               // at or after the first segment's base

  Segment& active() { return all.back(); }
  const Segment& active() const { return all.back(); }
  Offset flushed_end() const { return all.back().end; }
  std::int64_t total_bytes() const {
    std::int64_t sum = 0;
    for (const Segment& segment : all) sum += segment.size;
    return sum;
  }
  // The segment that holds `offset`; nullptr outside.
  const Segment* find(Offset offset) const {
    for (auto it = all.rbegin(); it != all.rend(); ++it)
      if (offset >= it->base) return offset < it->end ? &*it : nullptr;
    return nullptr;
  }
};

// Writes the index entries that are not in the active segment's files yet. Not synced: a lost index is
// rebuilt from the log. 0 or -errno.
Step<std::int32_t> write_index_entries(Context& context, Segment& segment);

// Empties the active segment's index files; the entries go in again with the next write_index_entries().
Step<std::int32_t> reset_index_files(Context& context, Segment& segment);

// Opens the files of a segment that is to be active (again); index files are made if missing and emptied.
Step<Result<void>> open_segment(Context& context, Segment& segment);

// Makes the empty files of a segment that begins at `base` and opens them; the directory is synced.
Step<Result<Segment>> create_segment(Context& context, Offset base);

}  // namespace hayward::log

#include "log/log_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "log/batch_cursor.h"

namespace hayward::log {
namespace {

// Batches gathered from a segment, back to back.
struct Gathered {
  Buffer bytes;
  std::int32_t error = 0;
  BatchCheck fault;              // fault.found not empty: damage at `position`
  std::int64_t position = 0;
};

Step<std::shared_ptr<Gathered>> gather(BatchCursor& cursor, Offset from, Offset to, std::size_t max_bytes) {
  auto gathered = std::make_shared<Gathered>();
  while (!cursor.at_end()) {
    BatchCheck check = cursor.peek();
    if (check.outcome == BatchCheck::Outcome::need_more) {
      gathered->error = co_await cursor.fill(check.needed);
      if (gathered->error < 0) break;
      continue;
    }
    if (check.outcome == BatchCheck::Outcome::bad) {
      gathered->fault = std::move(check);
      gathered->position = cursor.position();
      break;
    }
    if (check.header.last_offset() >= to) break;
    if (check.header.last_offset() >= from) {
      const Bytes batch = cursor.bytes(check);
      if (!gathered->bytes.empty() && gathered->bytes.size() + batch.size() > max_bytes) break;
      gathered->bytes.insert(gathered->bytes.end(), batch.begin(), batch.end());
    }
    cursor.advance(check.header.size());
  }
  co_return gathered;
}

}  // namespace

void LogReader::read(Offset from, Offset to, std::int32_t max_bytes, Done done) {
  driver::LogSlice slice;
  if (context_.failed() || from < segments_.log_start || from >= appender_.end()) return done(false, std::move(slice));
  const auto limit = static_cast<std::size_t>(std::max(max_bytes, 0));
  if (cache_.holds(from)) {
    auto batches = std::make_shared<std::vector<BatchPtr>>(cache_.read(from, to, limit));
    for (const BatchPtr& batch : *batches) slice.parts.push_back(batch->bytes);
    slice.owner = std::move(batches);
    return done(true, std::move(slice));
  }
  const Segment* segment = segments_.find(from);
  if (!segment) return done(false, std::move(slice));
  read_from_disk({segment->base, segment->file, segment->position_before(from), segment->size}, from, to,
                 static_cast<std::int64_t>(limit), std::move(done));
}

Task LogReader::read_from_disk(Place place, Offset from, Offset to, std::int64_t max_bytes, Done done) {
  const std::uint64_t generation = appender_.generation();
  const std::string path = context_.path(segment_file_name(place.base, log_suffix));
  if (!place.file) {
    const std::int32_t fd = co_await open_file(context_.port, path, O_RDONLY);
    if (fd >= 0) place.file = context_.adopt(fd);
  }
  std::shared_ptr<Gathered> gathered;
  if (place.file) {
    const std::int64_t chunk = std::min<std::int64_t>(max_bytes, 1 << 20) + 2 * index_interval_bytes;
    BatchCursor cursor(context_.port, place.file->fd(), place.position, place.end, static_cast<std::size_t>(chunk));
    gathered = co_await gather(cursor, from, to, static_cast<std::size_t>(max_bytes));
  }
  // Truncated or deleted meanwhile: what was read may be anything, and is nobody's fault.
  const bool still_there = generation == appender_.generation() && from >= segments_.log_start;
  if (still_there && gathered && (gathered->error < 0 || !gathered->fault.found.empty())) {
    context_.fail(gathered->error < 0
                      ? io_error(path, "to be read", gathered->error).error()
                      : LogError{LogError::Kind::damaged, path,
                                 gathered->fault.expected + " at byte " + std::to_string(gathered->position),
                                 gathered->fault.found, "restore the file from a backup"});
  }
  const bool ok = still_there && gathered && !context_.failed();
  driver::LogSlice slice;
  if (ok) {
    slice.parts.push_back(gathered->bytes);
    slice.owner = std::move(gathered);
  }
  done(ok, std::move(slice));
}

}  // namespace hayward::log

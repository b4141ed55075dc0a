// Walks the batches of a file through the ring, a window of it in memory at a time:
//   for (;;) {
//     const BatchCheck check = cursor.peek();
//     if (check.outcome == need_more) { if (error = co_await cursor.fill(check.needed); error < 0) ...; continue; }
//     ... cursor.bytes(check) ... cursor.advance(check.header.size());
//   }
// Owner: whoever walks; the descriptor stays the caller's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "log/batch_check.h"
#include "log/files.h"

namespace hayward::log {

class BatchCursor {
 public:
  // From `position` up to `end` of the file (no further, even if the file is longer).
  BatchCursor(ring::Port& port, ring::Fd fd, std::int64_t position, std::int64_t end, std::size_t chunk_bytes = 1 << 20)
      : port_(port), fd_(fd), position_(position), end_(end), chunk_bytes_(chunk_bytes) {}

  std::int64_t position() const { return position_; }
  bool at_end() const { return position_ >= end_; }
  // What is at position(); !at_end().
  BatchCheck peek() const { return check_file_batch(window(), static_cast<std::uint64_t>(end_ - position_)); }
  // The bytes of the batch that peek() found valid; until the next fill().
  Bytes bytes(const BatchCheck& check) const { return window().first(check.header.size()); }
  // All that is in memory from position() on.
  Bytes window() const { return Bytes(buffer_).subspan(at_); }
  // Without looking again at bytes that were checked before.
  void advance(std::size_t count) {
    const std::size_t held = std::min(count, buffer_.size() - at_);
    at_ += held;
    position_ += static_cast<std::int64_t>(count);
    if (held < count) {
      buffer_.clear();
      at_ = 0;
    }
  }

  // Has `needed` bytes (or all up to the end) in memory. 0, or -errno; -EIO if the file is shorter than said.
  Step<std::int32_t> fill(std::size_t needed);

 private:
  ring::Port& port_;
  ring::Fd fd_;
  std::int64_t position_;        // in the file, of buffer_[at_]
  std::int64_t end_;
  std::size_t chunk_bytes_;
  Buffer buffer_;
  std::size_t at_ = 0;
};

}  // namespace hayward::log

// Reads of the running log: recent batches from memory, older ones from their segment. A read that meets
// a truncation or a deletion says so; it never gives other bytes than were asked for.
// Owner: Log. Shard 0.
#pragma once

#include <cstdint>

#include "log/appender.h"
#include "log/context.h"
#include "log/segments.h"
#include "log/tail_cache.h"

namespace hayward::log {

class LogReader {
 public:
  using Done = driver::LogPort::ReadDone;

  LogReader(Context& context, Segments& segments, TailCache& cache, Appender& appender)
      : context_(context), segments_(segments), cache_(cache), appender_(appender) {}

  TaskScope& tasks() { return context_.tasks(); }
  // As LogPort::read. `done` is called at once if the batches are in memory.
  void read(Offset from, Offset to, std::int32_t max_bytes, Done done);

 private:
  struct Place {
    Offset base{0};
    OpenFilePtr file;          // null: to be opened
    std::int64_t position = 0;
    std::int64_t end = 0;
  };

  Task read_from_disk(Place place, Offset from, Offset to, std::int64_t max_bytes, Done done);

  Context& context_;
  Segments& segments_;
  TailCache& cache_;
  Appender& appender_;
};

}  // namespace hayward::log

// Keeps the flush mark (flush_mark.h) up to date: written after each flush, not waited for, synced some
// time later together with the index entries of the active segment.
// Owner: Log. Shard 0.
#pragma once

#include "log/context.h"
#include "log/flush_mark.h"
#include "log/segments.h"

namespace hayward::log {

class Marker {
 public:
  // `mark` is what the file holds.
  Marker(Context& context, Segments& segments, OpenFilePtr file, FlushMark mark)
      : context_(context), segments_(segments), file_(std::move(file)), mark_(mark) {}

  TaskScope& tasks() { return context_.tasks(); }
  const FlushMark& mark() const { return mark_; }

  // This is flushed now; sequence is filled in.
  void flushed(FlushMark mark);
  // Lowers or raises the mark and syncs it before it returns (before a truncation). False: failed.
  Step<bool> set_durably(FlushMark mark);
  // Writes and syncs what is not yet, and lets go of the file. Nothing may be flushed after.
  Step<bool> close();

 private:
  Task write_marks();
  Task sync_later();
  Step<bool> sync();
  Step<bool> write(FlushMark mark, bool durable);

  Context& context_;
  Segments& segments_;
  OpenFilePtr file_;
  FlushMark mark_;               // newest
  bool dirty_ = false;           // mark_ is newer than what was last given to the file
  Gate idle_;                    // shut while write_marks() runs
  Gate synced_;                  // shut while sync_later() runs
};

}  // namespace hayward::log

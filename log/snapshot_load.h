// Takes in a snapshot that comes from a leader, piece by piece: written beside the log, and once whole, synced and renamed
// into place. Then the log gives way to it: it begins and ends where the snapshot does. What a crash leaves in between,
// recovery takes for what it is: a log that ends below its newest snapshot begins anew there.
// Owner: Log. Shard 0.
#pragma once

#include <string>

#include "engine/core/effect.h"
#include "log/appender.h"
#include "log/context.h"
#include "log/marker.h"
#include "log/segments.h"
#include "log/snapshots.h"
#include "log/state_files.h"
#include "log/trash.h"

namespace hayward::log {

class SnapshotLoad {
 public:
  SnapshotLoad(Context& context, Segments& segments, Appender& appender, Marker& marker, StateFiles& state, Trash& trash,
               Snapshots& snapshots)
      : context_(context),
        segments_(segments),
        appender_(appender),
        marker_(marker),
        state_(state),
        trash_(trash),
        snapshots_(snapshots) {}

  TaskScope& tasks() { return context_.tasks(); }
  // One piece at a time; events.snapshot_part_written at its end. Nothing may be appended until the last one is.
  void write(core::WriteSnapshotPart&& part);

 private:
  Task write_part(core::WriteSnapshotPart part);
  Step<bool> write_bytes(const core::WriteSnapshotPart& part);
  Step<bool> install(const core::WriteSnapshotPart& part);
  Step<bool> replace_log(core::SnapshotId id);

  Context& context_;
  Segments& segments_;
  Appender& appender_;
  Marker& marker_;
  StateFiles& state_;
  Trash& trash_;
  Snapshots& snapshots_;
  std::string path_;  // of the part file
};

}  // namespace hayward::log

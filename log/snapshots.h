// Metadata snapshots: written beside the log and renamed into place after their sync, read in pieces for
// FetchSnapshot, dropped (with the log below them) when they are too many or too old.
// Owner: Log. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/start.h"
#include "log/context.h"
#include "log/segments.h"
#include "log/state_files.h"
#include "log/trash.h"

namespace hayward::log {

struct Snapshot {
  core::SnapshotId id;
  std::int64_t size = 0;
  std::int64_t last_contained_wall_ms = 0;  // from its header: what retention by age looks at
};

// The id of the checkpoint that format writes; it holds no data records and is never served.
inline constexpr core::SnapshotId bootstrap_snapshot{Offset{0}, Epoch{0}};

class Snapshots {
 public:
  Snapshots(Context& context, Segments& segments, StateFiles& state, Trash& trash, std::vector<Snapshot> found)
      : context_(context), segments_(segments), state_(state), trash_(trash), all_(std::move(found)) {}

  TaskScope& tasks() { return context_.tasks(); }
  // Writes to the part file of the one snapshot under way: events.snapshot_chunk_written, or at its end
  // events.snapshot_written. A failure ends the snapshot and leaves the log usable: the part file is removed.
  void write(core::WriteSnapshot&& order);
  // The log closes: a part file is let go of; recovery removes it.
  void close() { part_.reset(); }
  void read(core::SnapshotId id, std::int64_t position, std::int32_t length, driver::LogPort::ReadDone done);
  // A snapshot from elsewhere is in place, and the log begins at its end.
  void loaded(const Snapshot& snapshot);
  // Looks at retention every clean_interval_ms, until the log closes.
  void start_cleaning() { clean_regularly(); }

 private:
  struct Part {
    core::SnapshotId id;
    std::string path;
    OpenFilePtr file;
    std::int64_t size = 0;
  };
  Task carry_out(core::WriteSnapshot order);
  Step<Result<void>> begin_part(core::SnapshotId id);
  Step<Result<void>> write_part(const core::WriteSnapshot& order);
  Step<bool> give_up_part();
  // The part gets its name: a failure is the log's.
  Step<bool> finish_part(std::int64_t last_contained_wall_ms);
  Task read_slice(core::SnapshotId id, std::int64_t position, std::int32_t length, driver::LogPort::ReadDone done);
  Task clean_regularly();
  Step<bool> clean();
  // Whether the oldest snapshot must go.
  bool oldest_is_too_much() const;
  // Drops the oldest snapshot and what the next one makes superfluous of the log.
  Step<bool> drop_oldest();

  Context& context_;
  Segments& segments_;
  StateFiles& state_;
  Trash& trash_;
  std::vector<Snapshot> all_;    // ascending
  std::optional<Part> part_;     // of the snapshot under way
  std::uint64_t parts_ = 0;      // makes the names of part files unique
};

}  // namespace hayward::log

// Opens a metadata directory: takes the lock, reads and checks every file, then repairs what a crash may
// leave (torn tail, half-written indexes, leftovers) and syncs what it keeps. Until everything has been
// checked nothing on disk is changed, so a refusal leaves all as it was. It can be interrupted at any
// point and run again.
// Owner: Log. Start-up.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/core/start.h"
#include "log/context.h"
#include "log/flush_mark.h"
#include "log/recovery_scan.h"
#include "log/segments.h"
#include "log/snapshots.h"

namespace hayward::log {

struct Recovered {
  Segments segments;
  std::vector<core::EpochStart> epochs;
  std::vector<Snapshot> snapshots;          // ascending; the newest has been read and is whole
  std::optional<core::QuorumState> quorum_state;
  Offset refetch_to{0};                     // see lost_data.h; 0: nothing is lost
  FlushMark mark;
  OpenFilePtr mark_file;
  OpenFilePtr lock_file;
  std::vector<std::string> notes;           // what was repaired, for the operator
};

class Recovery {
 public:
  explicit Recovery(Context& context) : context_(context) {}
  Step<Result<Recovered>> run();
  // After an error: lets go of the files, the lock with them.
  void release() { out_ = {}; }

 private:
  // Looking.
  Step<Result<void>> lock();
  Result<void> list();
  Step<Result<void>> read_small_files();
  Step<Result<void>> check_snapshots();
  Step<Result<void>> scan();
  Result<void> judge();
  std::unexpected<LogError> damage(Offset until) const;
  std::vector<Offset> segment_bases() const;

  // Repairing.
  Step<Result<void>> cut_tail();
  Step<Result<void>> start_at_snapshot();
  Step<Result<void>> remove_segment(Offset base);
  Step<Result<void>> sync_segments();
  Step<Result<void>> settle_indexes();
  Step<Result<void>> settle_index_file(std::string name, Buffer content);
  Step<Result<void>> settle_lost_data();
  Step<Result<void>> settle_small_files();
  Step<Result<void>> open_mark();
  Step<Result<void>> write_mark(FlushMark mark);
  Step<Result<void>> remove_leftovers();
  bool is_leftover(const std::string& name) const;

  Context& context_;
  std::set<std::string> names_;             // in the partition directory
  std::vector<core::EpochStart> recorded_epochs_;
  bool epochs_file_good_ = false;
  bool partition_metadata_there_ = false;
  std::optional<FlushMark> mark_;
  Scan scan_;
  std::vector<Snapshot> unusable_;          // newer snapshots that are damaged
  bool start_anew_ = false;                 // at the newest snapshot's end
  Recovered out_;
};

}  // namespace hayward::log

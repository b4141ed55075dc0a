// Reads log directories, metadata partitions and single files of Java or Hayward, checks each and how they fit
// together, and tells a printer. Opens read-only, never takes a lock, and may run beside the process that
// writes there.
// Owner: tools/inspect. The main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/inspect/report.h"
#include "tools/inspect/selection.h"
#include "tools/inspect/small_files.h"
#include "tools/inspect/walk.h"

namespace hayward::tools {

class Inspector {
 public:
  // `records`: also those of directories are shown, not only of single files.
  Inspector(Printer& printer, Selection selection, bool records)
      : printer_(printer), selection_(std::move(selection)), records_(records) {}

  // A log directory (with meta.properties), a __cluster_metadata-0, or one file. The error says why there is
  // nothing to inspect.
  std::expected<void, std::string> inspect(const std::string& path);

 private:
  struct Partition;

  std::expected<void, std::string> directory(const std::string& path);
  std::expected<void, std::string> file(const std::string& path);
  void log_directory(const std::string& path);
  void partition(const std::string& path, bool live);
  void named_files(Partition& partition);
  void segments(Partition& partition);
  void segment(Partition& partition, Offset base);
  void judge_epochs(const Partition& partition);
  void judge_mark(const Partition& partition);
  void other_files(const Partition& partition);
  void summary(const Partition& partition);
  Walked segment_file(const std::string& path, std::optional<Offset> base, LogPosition& log, bool show, bool live,
                      const Walk::Visit& visit);
  void checkpoint_file(const std::string& path, bool show, bool live);

  Printer& printer_;
  const Selection selection_;
  const bool records_;
};

}  // namespace hayward::tools

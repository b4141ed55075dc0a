// Walks the batches of one file from its first byte to its last: every batch and record is checked, those that
// are selected go to the printer, and after damage the walk goes on at the next batch that is whole.
// Owner: tools/inspect. The main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "log/batch_check.h"
#include "schemas/runtime/arena.h"
#include "tools/inspect/file_bytes.h"
#include "tools/inspect/report.h"
#include "tools/inspect/selection.h"

namespace hayward::tools {

// What came before, from file to file.
struct LogPosition {
  std::optional<Offset> next;              // where the next batch must begin; none: anywhere
  std::vector<core::EpochStart> epochs;    // first batch of each that was seen
};

struct Walked {
  std::int64_t batches = 0;
  std::int64_t records = 0;
  std::int64_t faults = 0;
  Offset first = no_offset;
  std::int64_t first_ms = -1;
  std::int64_t last_ms = -1;
  std::string first_type;                  // of the first and the last record
  std::string last_type;
};

class Walk {
 public:
  // `show`: the batches that hold selected records are printed. `live`: another process writes here, so what
  // looks cut is read again before it counts as damage.
  Walk(Printer& printer, Selection selection, bool show, bool live)
      : printer_(printer), selection_(std::move(selection)), show_(show), live_(live) {}

  // Is told of each whole batch and its byte position, in order.
  using Visit = std::function<void(const BatchHeader&, std::int64_t position)>;
  Walked file(FileBytes& file, const std::string& path, LogPosition& log, const Visit& visit);

 private:
  log::BatchCheck check_at(std::int64_t position);
  // The same, read again a few times if the log is live.
  log::BatchCheck check_patiently(std::int64_t position);
  std::int64_t next_after(std::int64_t position, const log::BatchCheck& bad);
  void take(const BatchHeader& header, std::int64_t position, LogPosition& log);
  void take_records(const BatchHeader& header, std::int64_t position);
  bool selected(const RecordLine& line) const;
  void fault(std::int64_t position, std::string expected, std::string found);

  Printer& printer_;
  const Selection selection_;
  const bool show_;
  const bool live_;
  FileBytes* file_ = nullptr;
  std::string path_;
  Walked walked_;
  Arena arena_;
};

}  // namespace hayward::tools

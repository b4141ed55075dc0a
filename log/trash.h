// Takes files out of the log as Kafka does: renamed to NAME.deleted at once, unlinked some time later;
// those left over are removed at the next start.
// Owner: Log. Shard 0.
#pragma once

#include <string>
#include <vector>

#include "log/context.h"

namespace hayward::log {

class Trash {
 public:
  explicit Trash(Context& context) : context_(context) {}

  TaskScope& tasks() { return context_.tasks(); }
  // Renames (a file that is not there is fine) and syncs the directory. On an error some are renamed.
  Step<Result<void>> discard(std::vector<std::string> names);
  // A whole segment: the log file first, so that what is left is never an index without its log's name.
  Step<Result<void>> discard_segment(Offset base);

 private:
  Task unlink_later(std::vector<std::string> paths);

  Context& context_;
};

}  // namespace hayward::log

// The operator's log: lines on standard output, written by a thread of its own so that a slow terminal
// never holds up a shard; when it lags, the oldest waiting lines are dropped.
// Owner: tools. Any thread writes.
#pragma once

#include <string>

#include "engine/core/effect.h"

namespace hayward::tools {

class OperatorLog {
 public:
  OperatorLog();
  ~OperatorLog();  // writes out what waits
  void line(core::LogLine::Level level, const std::string& text);
};

}  // namespace hayward::tools

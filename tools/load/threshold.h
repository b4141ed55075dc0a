// Limits that a load must keep: "[PHASE.]METRIC>VALUE" or "<". They decide the exit code, so that a load can be a test.
// Owner: `hayward load`. Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tools/load/phase.h"

namespace hayward::tools {

struct Threshold {
  std::string text;    // as it was given
  std::string phase;   // empty: every phase
  std::string metric;  // p50 p90 p99 p99.9 p99.99 max mean (times); errors unanswered ok sent rate (numbers)
  bool above = true;   // fails when the metric is above `limit`; else when it is below
  double limit = 0;    // times in ns
};

// `text` as on the command line: times want a unit (us, ms, s), numbers none. The error says what was expected.
std::expected<Threshold, std::string> parse_threshold(std::string_view text);

// A line for each that is not kept, with what was found; a phase that did not take place is one too.
std::vector<std::string> missed(const std::vector<Threshold>& thresholds, const std::vector<PhaseResult>& results);

}  // namespace hayward::tools

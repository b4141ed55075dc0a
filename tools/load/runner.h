// A load on its threads: one each with a ring of its own, and one for the watch if it is needed; what they found put
// together; a line a second about what goes on.
// Owner: the verb `load`. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "tools/load/options.h"
#include "tools/load/report.h"

namespace hayward::tools {

struct RunOptions {
  LoadOptions load;
  LoadTarget target;
  std::size_t threads = 1;  // up to load.brokers
  std::uint64_t seed = 1;
  // Called about once a second, from one of the threads; may be empty.
  std::function<void(const std::string& line)> progress;
};

// The error: a ring that could not be made.
std::expected<LoadOutcome, std::string> run_load(const RunOptions& options);

// The phases of several threads as one: of equal names in equal places. For tests.
std::vector<PhaseResult> merge(const std::vector<std::vector<PhaseResult>>& threads);

}  // namespace hayward::tools

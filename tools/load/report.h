// What a load found, for people and as JSON.
// Owner: `hayward load`. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/load/options.h"
#include "tools/load/phase.h"

namespace hayward::tools {

struct LoadOutcome {
  std::vector<PhaseResult> phases;
  std::string problem;              // empty: every part was begun
  std::vector<std::string> missed;  // thresholds
};

// One line: what a phase has done in the second that lies between two of its results, and in all.
std::string progress_text(const PhaseResult& now, const PhaseResult& before, double elapsed_s);
std::string report_text(const LoadOutcome& outcome);
// One object: controller, cluster, brokers, threads, problem (null: none), missed[], failures (errors and unanswered in
// all), phases[] with name, sent, ok, unanswered, errors{}, seconds, rate_per_s, offered_per_s, latency_us{p50 p90 p99
// p99_9 p99_99 max mean}, curve_us [[percent, us]...], generator{cpu_share, late_us{}} and details{}.
std::string report_json(const LoadOutcome& outcome, const std::string& controller, const LoadOptions& options,
                        std::size_t threads);
// Errors and unanswered requests of all phases.
std::uint64_t failures(const LoadOutcome& outcome);

}  // namespace hayward::tools

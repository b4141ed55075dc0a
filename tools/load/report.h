// What a load found, for people and as JSON.
// Owner: `hayward load`. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/load/load.h"

namespace hayward::tools {

// One line while a phase goes on.
std::string progress_text(const PhaseResult& result, double elapsed_s);
std::string report_text(const Load& load);
// One object: controller, cluster, brokers, problem (null: none), errors in all, phases[] with sent, ok, unanswered,
// errors{}, seconds, rate_per_s, offered_per_s and latency_us{p50 p90 p99 p99_9 p99_99 max mean}.
std::string report_json(const Load& load, const std::string& controller, const LoadOptions& options);
// Errors and unanswered requests of all phases.
std::uint64_t failures(const Load& load);

}  // namespace hayward::tools

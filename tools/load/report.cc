// See report.h.
#include "tools/load/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/json.h"

namespace hayward::tools {
namespace {

struct Percentile {
  double percent;
  const char* name;  // for people
  const char* json_name;
};
constexpr Percentile percentiles[] = {
    {50, "p50", "p50"}, {90, "p90", "p90"}, {99, "p99", "p99"}, {99.9, "p99.9", "p99_9"}, {99.99, "p99.99", "p99_99"},
};

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

std::string duration_text(std::int64_t ns) {
  const double value = us(ns);
  if (value < 1000) return fmt::format("{:.0f} us", value);
  return value < 1e6 ? fmt::format("{:.2f} ms", value / 1e3) : fmt::format("{:.2f} s", value / 1e6);
}

// For plots: a value for each percentile, denser where it gets rare.
void add_curve(Json& json, const Histogram& latency) {
  constexpr double percents[] = {0,    10,   20,    30,    40,    50,    60,    70,     75,     80,   85,
                                 90,   92.5, 95,    96,    97,    98,    98.5,  99,     99.3,   99.5, 99.7,
                                 99.8, 99.9, 99.93, 99.95, 99.97, 99.98, 99.99, 99.995, 99.999, 100};
  json.key("curve_us").begin_array();
  for (const double percent : percents) {
    json.begin_array().value(percent).value(us(latency.percentile_ns(percent))).end_array();
  }
  json.end_array();
}

double cpu_share(const PhaseResult& r) {
  const double available_s = r.seconds() * static_cast<double>(r.threads);
  return available_s > 0 ? static_cast<double>(r.cpu_ns) / 1e9 / available_s : 0;
}

void add_generator(Json& json, const PhaseResult& r) {
  json.key("generator").begin_object().key("cpu_share").value(cpu_share(r)).key("late_us").begin_object();
  for (const Percentile& p : percentiles) json.key(p.json_name).value(us(r.late.percentile_ns(p.percent)));
  json.key("max").value(us(r.late.max_ns())).end_object().end_object();
}

void add_phase(Json& json, const PhaseResult& r) {
  json.begin_object().key("name").value(r.name).key("sent").value(r.sent).key("ok").value(r.ok);
  json.key("unanswered").value(r.unanswered).key("errors").begin_object();
  for (const auto& [name, count] : r.errors) json.key(name).value(count);
  json.end_object().key("seconds").value(r.seconds()).key("rate_per_s").value(r.rate_per_s());
  json.key("offered_per_s").value(r.offered_per_s).key("latency_us").begin_object();
  for (const Percentile& p : percentiles) json.key(p.json_name).value(us(r.latency.percentile_ns(p.percent)));
  json.key("max").value(us(r.latency.max_ns())).key("mean").value(r.latency.mean_ns() / 1000).end_object();
  add_curve(json, r.latency);
  add_generator(json, r);
  json.key("details").begin_object();
  for (const auto& [name, value] : r.details) json.key(name).value(value);
  json.end_object().end_object();
}

std::string latency_text(const Histogram& latency) {
  std::string text;
  for (const Percentile& p : percentiles) {
    text += fmt::format(" {} {},", p.name, duration_text(latency.percentile_ns(p.percent)));
  }
  return text + fmt::format(" max {}", duration_text(latency.max_ns()));
}

// What kept the figures from being the controller's alone; empty: nothing.
std::string generator_text(const PhaseResult& r) {
  constexpr double much = 0.9;
  const std::int64_t late_ns = r.late.percentile_ns(99);
  std::string text;
  if (cpu_share(r) > much && r.seconds() > 0.5)
    text = fmt::format("    the generator itself was busy {:.0f} % of the time\n", 100 * cpu_share(r));
  if (r.latency.count() > 0 && late_ns > r.latency.percentile_ns(99) / 2) {
    text +=
        fmt::format("    the generator itself was late by {} (p99): these are its latencies, not the controller's\n",
                    duration_text(late_ns));
  }
  return text;
}

std::string phase_text(const PhaseResult& r) {
  const std::string offered = r.offered_per_s > 0 ? fmt::format(" of {:.0f}/s offered", r.offered_per_s) : "";
  std::string text = fmt::format("{}: {} answers in {:.3f} s, {:.0f}/s{}; {} ok, {} errors, {} unanswered\n", r.name,
                                 r.latency.count() - r.unanswered, r.seconds(), r.rate_per_s(), offered, r.ok,
                                 r.error_count(), r.unanswered);
  for (const auto& [name, count] : r.errors) text += fmt::format("    {} {}\n", name, count);
  if (!r.details.empty()) {
    text += "   ";
    for (const auto& [name, value] : r.details) text += fmt::format(" {} {:.10g}", name, value);
    text += '\n';
  }
  return text + "   " + latency_text(r.latency) + '\n' + generator_text(r);
}

}  // namespace

std::string progress_text(const PhaseResult& now, const PhaseResult& before, double elapsed_s) {
  const Histogram recent = now.latency.since(before.latency);
  return fmt::format("{:>5.0f} s  {}: {}/s, p50 {}, p99 {}, max {}; in all {} ok, {} errors", elapsed_s, now.name,
                     recent.count(), duration_text(recent.percentile_ns(50)), duration_text(recent.percentile_ns(99)),
                     duration_text(recent.max_ns()), now.ok, now.error_count());
}

std::string report_text(const LoadOutcome& outcome) {
  std::string text;
  for (const PhaseResult& result : outcome.phases) text += phase_text(result);
  return text;
}

std::string report_json(const LoadOutcome& outcome, const std::string& controller, const LoadOptions& options,
                        std::size_t threads) {
  Json json;
  json.begin_object().key("controller").value(controller).key("cluster").value(options.cluster_id);
  json.key("brokers").value(options.brokers).key("threads").value(threads).key("problem");
  outcome.problem.empty() ? json.null() : json.value(outcome.problem);
  json.key("missed").begin_array();
  for (const std::string& line : outcome.missed) json.value(line);
  json.end_array().key("failures").value(failures(outcome)).key("phases").begin_array();
  for (const PhaseResult& result : outcome.phases) add_phase(json, result);
  json.end_array().end_object();
  return json.text();
}

std::uint64_t failures(const LoadOutcome& outcome) {
  std::uint64_t sum = 0;
  for (const PhaseResult& result : outcome.phases) sum += result.error_count() + result.unanswered;
  return sum;
}

}  // namespace hayward::tools

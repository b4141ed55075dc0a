// See report.h.
#include "tools/load/report.h"

#include <fmt/format.h>

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

double rate(const PhaseResult& r) {
  return r.seconds() > 0 ? static_cast<double>(r.latency.count() - r.unanswered) / r.seconds() : 0;
}

double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

std::string duration_text(std::int64_t ns) {
  const double value = us(ns);
  if (value < 1000) return fmt::format("{:.0f} us", value);
  return value < 1e6 ? fmt::format("{:.2f} ms", value / 1e3) : fmt::format("{:.2f} s", value / 1e6);
}

void add_phase(Json& json, const PhaseResult& r) {
  json.begin_object().key("name").value(r.name).key("sent").value(r.sent).key("ok").value(r.ok);
  json.key("unanswered").value(r.unanswered).key("errors").begin_object();
  for (const auto& [name, count] : r.errors) json.key(name).value(count);
  json.end_object().key("seconds").value(r.seconds()).key("rate_per_s").value(rate(r));
  json.key("offered_per_s").value(r.offered_per_s).key("latency_us").begin_object();
  for (const Percentile& p : percentiles) json.key(p.json_name).value(us(r.latency.percentile_ns(p.percent)));
  json.key("max").value(us(r.latency.max_ns())).key("mean").value(r.latency.mean_ns() / 1000);
  json.end_object().end_object();
}

}  // namespace

std::string progress_text(const PhaseResult& r, double elapsed_s) {
  return fmt::format("{:>5.0f} s  {}: {} ok, {} errors, p50 {}, p99 {}, max {}", elapsed_s, r.name, r.ok,
                     r.error_count(), duration_text(r.latency.percentile_ns(50)),
                     duration_text(r.latency.percentile_ns(99)), duration_text(r.latency.max_ns()));
}

std::string report_text(const Load& load) {
  std::string text;
  for (const auto& phase : load.phases()) {
    const PhaseResult& r = phase->result();
    const std::string offered = r.offered_per_s > 0 ? fmt::format(" of {:.0f}/s offered", r.offered_per_s) : "";
    text += fmt::format("{}: {} answers in {:.3f} s, {:.0f}/s{}; {} ok, {} errors, {} unanswered\n", r.name,
                        r.latency.count() - r.unanswered, r.seconds(), rate(r), offered, r.ok, r.error_count(),
                        r.unanswered);
    for (const auto& [name, count] : r.errors) text += fmt::format("    {} {}\n", name, count);
    text += "   ";
    for (const Percentile& p : percentiles)
      text += fmt::format(" {} {},", p.name, duration_text(r.latency.percentile_ns(p.percent)));
    text += fmt::format(" max {}\n", duration_text(r.latency.max_ns()));
  }
  return text;
}

std::string report_json(const Load& load, const std::string& controller, const LoadOptions& options) {
  Json json;
  json.begin_object().key("controller").value(controller).key("cluster").value(options.cluster_id);
  json.key("brokers").value(options.brokers).key("problem");
  load.problem().empty() ? json.null() : json.value(load.problem());
  json.key("failures").value(failures(load)).key("phases").begin_array();
  for (const auto& phase : load.phases()) add_phase(json, phase->result());
  json.end_array().end_object();
  return json.text();
}

std::uint64_t failures(const Load& load) {
  std::uint64_t sum = 0;
  for (const auto& phase : load.phases()) sum += phase->result().error_count() + phase->result().unanswered;
  return sum;
}

}  // namespace hayward::tools

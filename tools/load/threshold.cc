// See threshold.h.
#include "tools/load/threshold.h"

#include <fmt/format.h>

#include <charconv>

namespace hayward::tools {
namespace {

enum class Kind : std::uint8_t { time, number };
struct Metric {
  std::string_view name;
  Kind kind;
  double (*of)(const PhaseResult&);
};
template <int hundredths_of_percent>
double percentile(const PhaseResult& r) {
  return static_cast<double>(r.latency.percentile_ns(hundredths_of_percent / 100.0));
}
// A name that ends in another one stands before it.
constexpr Metric metrics[] = {
    {"p99.99", Kind::time, percentile<9999>},
    {"p99.9", Kind::time, percentile<9990>},
    {"p99", Kind::time, percentile<9900>},
    {"p90", Kind::time, percentile<9000>},
    {"p50", Kind::time, percentile<5000>},
    {"max", Kind::time, [](const PhaseResult& r) { return static_cast<double>(r.latency.max_ns()); }},
    {"mean", Kind::time, [](const PhaseResult& r) { return r.latency.mean_ns(); }},
    {"errors", Kind::number, [](const PhaseResult& r) { return static_cast<double>(r.error_count()); }},
    {"unanswered", Kind::number, [](const PhaseResult& r) { return static_cast<double>(r.unanswered); }},
    {"ok", Kind::number, [](const PhaseResult& r) { return static_cast<double>(r.ok); }},
    {"sent", Kind::number, [](const PhaseResult& r) { return static_cast<double>(r.sent); }},
    {"rate", Kind::number, [](const PhaseResult& r) { return r.rate_per_s(); }},
};

const Metric* metric_at_end_of(std::string_view text) {
  for (const Metric& metric : metrics) {
    if (!text.ends_with(metric.name)) continue;
    const std::size_t before = text.size() - metric.name.size();
    if (before == 0 || (before > 1 && text[before - 1] == '.')) return &metric;
  }
  return nullptr;
}

// ns to the unit, 0 if it is none.
double unit_ns(std::string_view unit) {
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  return unit == "s" ? 1e9 : 0;
}

std::string value_text(Kind kind, double value) {
  return kind == Kind::time ? fmt::format("{:.3f} ms", value / 1e6) : fmt::format("{:.10g}", value);
}

}  // namespace

std::expected<Threshold, std::string> parse_threshold(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(
        fmt::format("\"{}\": {}; expected [PHASE.]METRIC>VALUE or <, as p99.9>5ms, steady.errors>0 "
                    "or steady.rate<9900",
                    text, why));
  };
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos) return refuse("has neither > nor <");
  const Metric* metric = metric_at_end_of(text.substr(0, at));
  if (metric == nullptr) {
    return refuse("no such metric (p50 p90 p99 p99.9 p99.99 max mean errors unanswered ok sent rate)");
  }
  Threshold result{
      .text = std::string(text), .phase = {}, .metric = std::string(metric->name), .above = text[at] == '>'};
  if (at > metric->name.size()) result.phase = text.substr(0, at - metric->name.size() - 1);
  const std::string_view value = text.substr(at + 1);
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result.limit);
  if (error != std::errc{}) return refuse("no number");
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  if (metric->kind == Kind::number && !unit.empty()) return refuse("a number has no unit");
  if (metric->kind == Kind::time) {
    if (unit_ns(unit) == 0) return refuse("a time has a unit: us, ms or s");
    result.limit *= unit_ns(unit);
  }
  return result;
}

std::vector<std::string> missed(const std::vector<Threshold>& thresholds, const std::vector<PhaseResult>& results) {
  std::vector<std::string> lines;
  for (const Threshold& threshold : thresholds) {
    const Metric* metric = metric_at_end_of(threshold.metric);
    bool seen = false;
    for (const PhaseResult& result : results) {
      if (!threshold.phase.empty() && threshold.phase != result.name) continue;
      seen = true;
      const double value = metric->of(result);
      if (threshold.above ? value > threshold.limit : value < threshold.limit) {
        lines.push_back(fmt::format("{}: {}'s {} is {}", threshold.text, result.name, threshold.metric,
                                    value_text(metric->kind, value)));
      }
    }
    if (!seen) lines.push_back(fmt::format("{}: there was no phase {}", threshold.text, threshold.phase));
  }
  return lines;
}

}  // namespace hayward::tools

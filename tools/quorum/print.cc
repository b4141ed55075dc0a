#include "tools/quorum/print.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "tools/json.h"

namespace hayward::tools {
namespace {

std::string time_text(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} UTC", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

std::string ago_text(const std::optional<std::int64_t>& ms) { return ms ? duration_text(*ms) + " ago" : "never"; }

std::string list(const std::vector<NodeId>& ids) {
  std::string text;
  for (const NodeId id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", id.value);
  return text;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string answer_text(const ReplicaView& r) {
  if (!r.answers) return "-";
  return !*r.answers ? "no answer" : r.program.empty() ? "answers" : r.program;
}

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}{}{}", verdict.allowed ? "yes" : "NO", verdict.reason, verdict.advice.empty() ? "" : "; ", verdict.advice);
}

std::string summary(const QuorumView& view) {
  const std::size_t up = view.up_to_date(), needed = view.majority();
  std::string text = fmt::format("{} of {} up to date, {} needed: ", up, view.voters.size(), needed);
  if (up < needed) return text + "NOTHING CAN BE COMMITTED";
  if (view.spare() == 0) return text + (view.voters.size() == 1 ? "no other may take over" : "NONE MAY FAIL");
  return text + fmt::format("{} may fail", view.spare());
}

std::string leader_lines(const QuorumView& view, const std::vector<LeaderChange>& history) {
  const ReplicaView* leader = view.find(view.leader);
  std::string text = fmt::format("leader     {}{} in epoch {}", view.leader.value,
                                 leader && !leader->program.empty() ? " (" + leader->program + ")" : "", view.epoch.value);
  if (history.empty()) return text + "\n";
  const LeaderChange& now = history[0];
  text += fmt::format(", for {}, since {}", duration_text(std::max<std::int64_t>(0, view.now_ms - now.time_ms)), time_text(now.time_ms));
  text += now.elected_by.empty() ? "\n" : fmt::format("; votes of {}\n", list(now.elected_by));
  if (const std::string why = why_changed(view, history); !why.empty()) text += "           " + why + "\n";
  for (std::size_t i = 1; i < history.size(); ++i)
    text += fmt::format("           before: {} in epoch {} from {}\n", history[i].leader.value, history[i].epoch.value, time_text(history[i].time_ms));
  return text;
}

void add_replica(Json& json, const QuorumView& view, const ReplicaView& r) {
  json.begin_object().key("id").value(r.id.value).key("directory_id").value(r.directory.to_string());
  json.key("voter").value(r.voter).key("state").value(name(r.state)).key("address").value(r.address);
  json.key("program").value(r.program).key("answers").value(r.answers).key("log_end").value(r.log_end).key("lag").value(r.lag);
  json.key("fetched_ago_ms").value(r.fetched_ago_ms).key("caught_up_ago_ms").value(r.caught_up_ago_ms);
  const Verdict verdict = may_stop(view, r.id);
  json.key("may_stop").begin_object().key("allowed").value(verdict.allowed).key("reason").value(verdict.reason);
  json.key("advice").value(verdict.advice).end_object().end_object();
}

void add_replicas(Json& json, const QuorumView& view) {
  json.key("voters").begin_array();
  for (const auto& v : view.voters) add_replica(json, view, v);
  json.end_array().key("observers").begin_array();
  for (const auto& o : view.observers) add_replica(json, view, o);
  json.end_array();
}

void add_head(Json& json, const QuorumView& view) {
  json.key("cluster").value(view.cluster_id).key("leader").value(view.leader.value).key("epoch").value(view.epoch.value);
  json.key("high_watermark").value(view.high_watermark).key("log_end").value(view.log_end);
}

void add_history(Json& json, const std::vector<LeaderChange>& history) {
  json.key("changes").begin_array();
  for (const auto& change : history) {
    json.begin_object().key("leader").value(change.leader.value).key("epoch").value(change.epoch.value);
    json.key("offset").value(change.offset).key("time_ms").value(change.time_ms).key("quiet_ms").value(change.quiet_ms);
    json.key("elected_by").begin_array();
    for (const NodeId id : change.elected_by) json.value(id.value);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string duration_text(std::int64_t ms) {
  const std::int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

std::string status_text(const QuorumView& view, const std::vector<LeaderChange>& history) {
  std::string text = fmt::format("cluster    {}\n{}", or_dash(view.cluster_id), leader_lines(view, history));
  text += view.high_watermark < 0 ? fmt::format("committed  nothing yet in this epoch; the leader's log ends at {}\n", view.log_end)
                                  : fmt::format("committed  up to {}; the leader's log ends at {}\n", view.high_watermark, view.log_end);
  text += fmt::format("voters     {}\n", summary(view));
  text += fmt::format("{:>11}  {:<13} {:<22} {:<8} {:>7}  {:<13} {}\n", "node", "here", "address", "state", "behind", "fetched", "may be stopped");
  for (const auto* group : {&view.voters, &view.observers})
    for (const auto& r : *group)
      text += fmt::format("{:>11}  {:<13} {:<22} {:<8} {:>7}  {:<13} {}\n", fmt::format("{}{}", r.id.value, r.voter ? "" : " (obs.)"), answer_text(r),
                          or_dash(r.address), name(r.state), r.lag, ago_text(r.fetched_ago_ms), verdict_text(may_stop(view, r.id)));
  return text;
}

std::string status_json(const QuorumView& view, const std::vector<LeaderChange>& history) {
  Json json;
  json.begin_object();
  add_head(json, view);
  json.key("healthy").value(view.healthy()).key("majority").value(view.majority()).key("up_to_date").value(view.up_to_date());
  json.key("spare").value(view.spare()).key("why").value(why_changed(view, history));
  add_history(json, history);
  add_replicas(json, view);
  json.end_object();
  return json.text() + "\n";
}

std::string replication_text(const QuorumView& view) {
  std::string text = fmt::format("{:>8} {:<9} {:<8} {:<22} {:>12} {:>8}  {:<14} {:<14} {}\n", "node", "role", "state", "directory", "log end", "behind",
                                 "fetched", "had all", "address");
  for (const auto* group : {&view.voters, &view.observers})
    for (const auto& r : *group)
      text += fmt::format("{:>8} {:<9} {:<8} {:<22} {:>12} {:>8}  {:<14} {:<14} {}\n", r.id.value, r.voter ? "voter" : "observer", name(r.state),
                          r.directory.to_string(), r.log_end, r.lag, ago_text(r.fetched_ago_ms), ago_text(r.caught_up_ago_ms), or_dash(r.address));
  return text;
}

std::string replication_json(const QuorumView& view) {
  Json json;
  json.begin_object();
  add_head(json, view);
  add_replicas(json, view);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace hayward::tools

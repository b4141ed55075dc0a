#include "tools/quorum/view.h"

#include <fmt/format.h>

#include <algorithm>

namespace hayward::tools {
namespace {

using Response = messages::DescribeQuorumResponse;

bool is_up_to_date(const ReplicaView& r) {
  return r.answers.value_or(true) && (r.state == ReplicaState::leader || r.state == ReplicaState::current);
}

std::optional<std::int64_t> ago(std::int64_t then_ms, std::int64_t now_ms) {
  if (then_ms < 0) return std::nullopt;
  return std::max<std::int64_t>(0, now_ms - then_ms);
}

ReplicaState state_of(const ReplicaView& r, NodeId leader, std::int64_t patience_ms) {
  if (r.id == leader) return ReplicaState::leader;
  if (!r.fetched_ago_ms || *r.fetched_ago_ms > patience_ms) return ReplicaState::silent;
  if (!r.caught_up_ago_ms || *r.caught_up_ago_ms > patience_ms) return ReplicaState::behind;
  return ReplicaState::current;
}

std::string address_of(const Response& response, NodeId id) {
  for (const auto& node : response.nodes) {
    if (node.node_id != id || node.listeners.size() == 0) continue;
    const auto& listener = node.listeners[0];
    return fmt::format("{}:{}", listener.host, listener.port);
  }
  return {};
}

// The leader's own entry carries the time at which it answered.
std::int64_t leaders_clock(const Response::PartitionData& partition) {
  std::int64_t now_ms = -1;
  for (const auto* group : {&partition.current_voters, &partition.observers})
    for (const auto& r : *group) {
      if (r.replica_id == partition.leader_id) return r.last_fetch_timestamp;
      now_ms = std::max(now_ms, r.last_fetch_timestamp);
    }
  return now_ms;
}

std::string trouble(const ReplicaView& r) {
  if (r.state == ReplicaState::behind) return fmt::format("{} is {} records behind", r.id.value, r.lag);
  if (r.state != ReplicaState::silent) return fmt::format("{} does not answer at {}", r.id.value, r.address);
  if (!r.fetched_ago_ms) return fmt::format("{} has never fetched from this leader", r.id.value);
  return fmt::format("{} has not fetched for {:.1f} s", r.id.value, static_cast<double>(*r.fetched_ago_ms) / 1000);
}

std::string troubles(const QuorumView& view, NodeId except) {
  std::string text;
  for (const auto& v : view.voters) {
    if (is_up_to_date(v) || v.id == except) continue;
    text += (text.empty() ? "" : ", ") + trouble(v);
  }
  return text;
}

std::string troubled_ids(const QuorumView& view, NodeId except) {
  std::string text;
  for (const auto& v : view.voters)
    if (!is_up_to_date(v) && v.id != except) text += fmt::format("{}{}", text.empty() ? "" : ", ", v.id.value);
  return text;
}

}  // namespace

std::string_view name(ReplicaState state) {
  switch (state) {
    case ReplicaState::leader:
      return "leader";
    case ReplicaState::current:
      return "current";
    case ReplicaState::behind:
      return "behind";
    case ReplicaState::silent:
      break;
  }
  return "silent";
}

const ReplicaView* QuorumView::find(NodeId id) const {
  for (const auto* group : {&voters, &observers})
    for (const auto& r : *group)
      if (r.id == id) return &r;
  return nullptr;
}

std::size_t QuorumView::up_to_date(NodeId except) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(voters, [&](const ReplicaView& v) { return v.id != except && is_up_to_date(v); }));
}

std::size_t QuorumView::spare() const {
  const std::size_t have = up_to_date();
  return have > majority() ? have - majority() : 0;
}

bool QuorumView::healthy() const { return high_watermark >= 0 && up_to_date() == voters.size(); }

QuorumView make_view(const Response& response, std::int64_t patience_ms) {
  QuorumView view;
  if (response.topics.size() != 1 || response.topics[0].partitions.size() != 1) return view;
  const auto& partition = response.topics[0].partitions[0];
  view.leader = partition.leader_id;
  view.epoch = partition.leader_epoch;
  view.high_watermark = partition.high_watermark.value;
  view.now_ms = leaders_clock(partition);
  const auto take = [&](const Response::ReplicaState& told, bool voter) {
    ReplicaView r;
    r.id = told.replica_id;
    r.directory = told.replica_directory_id;
    r.voter = voter;
    r.log_end = told.log_end_offset.value;
    r.fetched_ago_ms = ago(told.last_fetch_timestamp, view.now_ms);
    r.caught_up_ago_ms = ago(told.last_caught_up_timestamp, view.now_ms);
    r.address = address_of(response, r.id);
    if (r.id == view.leader) view.log_end = r.log_end;
    (voter ? view.voters : view.observers).push_back(std::move(r));
  };
  for (const auto& v : partition.current_voters) take(v, true);
  for (const auto& o : partition.observers) take(o, false);
  for (auto* group : {&view.voters, &view.observers}) {
    std::ranges::sort(*group, {}, &ReplicaView::id);
    for (auto& r : *group) {
      r.lag = std::max<std::int64_t>(0, view.log_end - std::max<std::int64_t>(0, r.log_end));
      r.state = state_of(r, view.leader, patience_ms);
    }
  }
  return view;
}

Verdict may_stop(const QuorumView& view, NodeId id) {
  const ReplicaView* node = view.find(id);
  if (node != nullptr && !node->voter) return {true, "it is an observer and has no vote", {}};
  if (view.voters.size() == 1) {
    return {false, "it is the only voter: while it is stopped nothing can be changed", "add a second and a third first"};
  }
  const std::size_t stay = view.up_to_date(id), needed = view.majority();
  if (stay < needed) {
    return {false,
            fmt::format("{} of {} voters would stay up to date and {} are needed: {}", stay, view.voters.size(), needed,
                        troubles(view, id).empty() ? "too few" : troubles(view, id)),
            troubled_ids(view, id).empty() ? std::string() : fmt::format("bring {} up to date first", troubled_ids(view, id))};
  }
  Verdict verdict{true, fmt::format("{} of {} voters stay up to date and {} are needed", stay, view.voters.size(), needed), {}};
  if (id == view.leader) verdict.advice = "it leads: stop it in order (SIGTERM), then it hands over at once";
  else if (stay == needed) verdict.advice = "no other may fail meanwhile";
  return verdict;
}

Verdict may_remove(const QuorumView& view, NodeId id) {
  if (view.voters.size() == 1) return {false, "it is the only voter", "add another first"};
  const std::size_t left = view.voters.size() - 1, needed = left / 2 + 1, stay = view.up_to_date(id);
  if (stay < needed) {
    return {false,
            fmt::format("of the {} voters left {} would be up to date and {} are needed: {}", left, stay, needed, troubles(view, id)),
            fmt::format("bring {} up to date first", troubled_ids(view, id))};
  }
  Verdict verdict{true, fmt::format("of the {} voters left {} are up to date and {} are needed", left, stay, needed), {}};
  if (id == view.leader) verdict.advice = "it leads: once it is removed another is elected, which takes about a second";
  return verdict;
}

}  // namespace hayward::tools

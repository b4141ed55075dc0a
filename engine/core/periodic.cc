// See periodic.h.
#include "engine/core/periodic.h"

#include <cstdint>
#include <optional>

#include "engine/core/append.h"
#include "engine/core/control/delegation_tokens.h"
#include "engine/core/control/leader_and_isr.h"
#include "engine/core/control/self_registration.h"
#include "schemas/records/no_op_record.h"

namespace hayward::core {
namespace {

// Sets the timer a period from now; 0 or less, or more than a century: never.
void set_after(NodeState& node, Timer timer, const Time& now, std::int64_t period_ms) {
  constexpr std::int64_t longest_ms = std::int64_t{1000} * 60 * 60 * 24 * 365 * 100;
  if (period_ms > 0 && period_ms < longest_ms) node.timers.set(timer, now.mono + ms_to_ns(period_ms));
}

// What has more to do goes on at once, after what else has come in.
void set_next(NodeState& node, Timer timer, const Time& now, bool more, std::int64_t period_ms) {
  if (more)
    node.timers.set(timer, now.mono);
  else
    set_after(node, timer, now, period_ms);
}

// The no-op shows that commits move; by the way it notices that this controller could now be registered
// (metadata.version has been raised).
void write_no_op(NodeState& node, const Time& now, Effects& out) {
  set_after(node, Timer::no_op, now, node.config.max_idle_interval_ms);
  write_own(node, now, out, [](const HandlerContext& context, RecordList& records) {
    register_self(context, records);
    records.add(records::NoOpRecord{});
  });
}

// One slice of a scan, from `from` on, until the whole index is through.
template <class Elect>
void scan(NodeState& node, Timer timer, std::uint32_t& from, std::int64_t period_ms, const Time& now, Effects& out,
          Elect&& elect_leaders) {
  std::optional<std::uint32_t> next;
  write_own(node, now, out, [&](const HandlerContext& context, RecordList& records) {
    PartitionChanges changes(context, records);
    next = elect_leaders(from, max_partitions_per_scan, changes);
  });
  from = next.value_or(0);
  set_next(node, timer, now, next.has_value(), period_ms);
}

void sweep_tokens(NodeState& node, const Time& now, Effects& out) {
  bool more = false;
  write_own(node, now, out, [&](const HandlerContext& context, RecordList& records) {
    more = sweep_expired_tokens(context, max_tokens_per_sweep, records);
  });
  set_next(node, Timer::token_sweep, now, more, node.config.delegation_token_expiry_check_interval_ms);
}

std::int64_t imbalance_check_ms(const NodeState& node) {
  return node.config.auto_leader_rebalance_enable ? node.config.leader_imbalance_check_interval_s * 1000 : 0;
}

}  // namespace

void start_periodic_work(NodeState& node, const Time& now) {
  node.unclean_election_slot = node.preferred_election_slot = 0;
  set_after(node, Timer::no_op, now, node.config.max_idle_interval_ms);
  set_after(node, Timer::unclean_election, now, node.config.unclean_election_interval_ms);
  set_after(node, Timer::preferred_election, now, imbalance_check_ms(node));
  set_after(node, Timer::token_sweep, now, node.config.delegation_token_expiry_check_interval_ms);
}

void run_periodic_work(NodeState& node, const Time& now, Effects& out) {
  if (!node.active) return;
  if (node.timers.take(Timer::unclean_election, now.mono)) {
    scan(node, Timer::unclean_election, node.unclean_election_slot, node.config.unclean_election_interval_ms, now, out,
         elect_unclean_leaders);
  }
  if (node.timers.take(Timer::preferred_election, now.mono)) {
    scan(node, Timer::preferred_election, node.preferred_election_slot, imbalance_check_ms(node), now, out,
         elect_preferred_leaders);
  }
  if (node.timers.take(Timer::token_sweep, now.mono)) sweep_tokens(node, now, out);
  if (node.timers.take(Timer::no_op, now.mono)) write_no_op(node, now, out);
}

void stop_periodic_work(NodeState& node) {
  node.timers.clear(Timer::no_op);
  node.timers.clear(Timer::unclean_election);
  node.timers.clear(Timer::preferred_election);
  node.timers.clear(Timer::token_sweep);
}

}  // namespace hayward::core

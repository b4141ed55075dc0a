// When operations complete, in which order, and how it all ends at a crash.
#include "tests/sim/ring/sim_port.h"

#include <algorithm>
#include <cerrno>

#include "schemas/runtime/assert.h"

namespace hayward::sim {

SimPort::SimPort(SimClock& clock, SimDisk& disk, std::uint64_t seed, const SimFaults& faults)
    : clock_(clock), disk_(disk), prng_(seed), faults_(faults) {}

SimPort::~SimPort() { let_go(); }

// Closing a socket may speak to its peer, which may be one of our own: hence settled first.
void SimPort::let_go() {
  for (auto& [sequence, pending] : pending_) pending.settled = -ESHUTDOWN;
  for (auto& [sequence, pending] : pending_) pending.file.reset();
  descriptors_.clear();
}

std::int64_t SimPort::latency_ns() {
  const std::int64_t spread = std::max<std::int64_t>(faults_.max_latency_ns - faults_.min_latency_ns, 0);
  return faults_.min_latency_ns + 1 + static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(spread) + 1));
}

bool SimPort::strikes(unsigned ppm, std::uint64_t& count) {
  if (ppm == 0 || !prng_.chance(ppm, 1'000'000)) return false;
  ++count;
  return true;
}

SimPort::Pending& SimPort::submit(Operation& operation, Kind kind) {
  HAYWARD_ASSERT(!operation.in_flight && operation.handler != nullptr, "one use of an operation at a time");
  operation.in_flight = true;
  operation.sequence = ++last_sequence_;
  Pending& pending = pending_[operation.sequence];
  pending.operation = &operation;
  pending.kind = kind;
  if (crashed_) {
    pending.settled = -ESHUTDOWN;
    schedule(operation.sequence, pending, now_ns());
  } else {
    schedule(operation.sequence, pending, now_ns() + latency_ns());
  }
  return pending;
}

void SimPort::schedule(Sequence sequence, Pending& pending, std::int64_t due_ns) {
  if (pending.due_ns != never) schedule_.erase({pending.due_ns, sequence});
  pending.due_ns = due_ns;
  if (due_ns != never) schedule_.insert({due_ns, sequence});
}

void SimPort::nop(Operation& operation) {
  Pending& pending = submit(operation, Kind::nop);
  if (!crashed_) schedule(operation.sequence, pending, now_ns());
}

void SimPort::timeout(Operation& operation, std::int64_t deadline_ns) {
  Pending& pending = submit(operation, Kind::timeout);
  if (!crashed_) schedule(operation.sequence, pending, std::max(deadline_ns, now_ns()));
}

void SimPort::cancel(Operation& operation, Operation& target) {
  submit(operation, Kind::cancel).target = target.in_flight ? target.sequence : 0;
}

std::int64_t SimPort::next_due_ns() const {
  if (woken_) return now_ns();
  return schedule_.empty() ? never : std::max(schedule_.begin()->first, now_ns());
}

unsigned SimPort::run_once(bool wait) {
  if (wait && !woken_) {
    HAYWARD_ASSERT(!schedule_.empty(), "waiting for what can never come");
    clock_.advance_to(next_due_ns());
  }
  woken_ = false;
  const Sequence last = last_sequence_;  // what handlers submit is for the next round
  std::uint64_t budget = faults_.batch_limit == 0 ? UINT64_MAX : 1 + prng_.below(faults_.batch_limit);
  unsigned delivered = 0;
  while (!schedule_.empty() && budget > 0) {
    const auto [due_ns, sequence] = *schedule_.begin();
    if (due_ns > now_ns() || sequence > last) break;
    if (completions_ == crash_at_ && !crashed_) {
      crash_now();
      continue;
    }
    if (!deliver(sequence)) continue;
    ++delivered;
    --budget;
  }
  return delivered;
}

bool SimPort::deliver(Sequence sequence) {
  Pending& pending = pending_.at(sequence);
  Completion completion;
  if (pending.settled) {
    completion.result = *pending.settled;
  } else if (pending.kind <= Kind::shutdown) {
    const Outcome outcome = on_socket(sequence, pending);
    if (!outcome) return false;
    completion = *outcome;
  } else {
    completion.result = take_effect(pending);
    if (pending.due_ns > now_ns()) return false;
  }
  complete(sequence, pending, completion);
  return true;
}

void SimPort::complete(Sequence sequence, Pending& pending, const Completion& completion) {
  Operation& operation = *pending.operation;
  count_overtaken(sequence, pending.kind);
  ++completions_;
  trace_.add(static_cast<std::uint64_t>(now_ns()));
  trace_.add(sequence << 8 | static_cast<std::uint64_t>(pending.kind));
  trace_.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(completion.result)));
  if (!pending.into.empty() && completion.result > 0) {
    bytes_received_ += static_cast<std::uint64_t>(completion.result);
    trace_.add(pending.into.first(static_cast<std::size_t>(completion.result)));
  }
  trace_.add(completion.buffer);
  DescriptionPtr held;  // closing may come back to pending_
  if (completion.more) {
    schedule(sequence, pending, now_ns() + latency_ns());
  } else {
    schedule(sequence, pending, never);
    held = std::move(pending.file);
    pending_.erase(sequence);
    operation.in_flight = false;
  }
  held.reset();
  operation.handler(operation, completion);
}

void SimPort::count_overtaken(Sequence sequence, Kind kind) {
  const auto on_disk = [](Kind k) { return k >= Kind::open && k <= Kind::make_directory; };
  if (!on_disk(kind)) return;
  for (auto it = pending_.begin(); it->first < sequence; ++it) {
    if (!on_disk(it->second.kind)) continue;
    ++counts_.reordered;
    return;
  }
}

// Either order: the target's completion first (the cancel is put back for later), or the cancel's.
std::int32_t SimPort::do_cancel(Pending& pending) {
  const auto found = pending_.find(pending.target);
  if (found == pending_.end() || found->second.settled) return -ENOENT;
  Pending& target = found->second;
  const bool waits_inside = target.kind <= Kind::send || target.kind == Kind::timeout;
  if (!waits_inside && !prng_.chance(1, 4)) return -EALREADY;
  if (strikes(faults_.late_cancel_ppm, counts_.late_cancels)) return -EALREADY;
  ++counts_.cancelled;
  target.settled = -ECANCELED;
  schedule(pending.target, target, now_ns());
  if (prng_.chance(1, 2)) {
    pending.settled = 0;
    schedule(pending.operation->sequence, pending, now_ns() + 1);
  } else {
    ++counts_.cancelled_first;
  }
  return 0;
}

void SimPort::crash_now() {
  if (crashed_) return;
  crashed_ = true;
  faults_ = {};
  std::vector<Sequence> in_flight;
  for (const auto& [due_ns, sequence] : schedule_) in_flight.push_back(sequence);
  for (const Sequence sequence : in_flight) {
    Pending& pending = pending_.at(sequence);
    if (pending.settled || pending.kind < Kind::open || pending.kind > Kind::make_directory) continue;
    const bool done = prng_.chance(1, 2);
    ++(done ? counts_.done_by_crash : counts_.undone_by_crash);
    if (done) take_effect(pending);
  }
  let_go();
  for (auto& [sequence, pending] : pending_) schedule(sequence, pending, now_ns());
}

}  // namespace hayward::sim

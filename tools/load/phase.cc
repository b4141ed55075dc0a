// See phase.h.
#include "tools/load/phase.h"

#include <time.h>

#include <algorithm>

#include "schemas/runtime/codec.h"

namespace hayward::tools {
namespace {

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::uint64_t PhaseResult::error_count() const {
  std::uint64_t sum = 0;
  for (const auto& [error, times] : errors) sum += times;
  return sum;
}

double PhaseResult::rate_per_s() const {
  return seconds() > 0 ? static_cast<double>(latency.count() - unanswered) / seconds() : 0;
}

void PhaseResult::add(const PhaseResult& other) {
  latency.add(other.latency);
  sent += other.sent;
  ok += other.ok;
  unanswered += other.unanswered;
  for (const auto& [error, times] : other.errors) errors[error] += times;
  for (const auto& [detail, value] : other.details) details[detail] += value;
  offered_per_s += other.offered_per_s;
  late.add(other.late);
  cpu_ns += other.cpu_ns;
  threads += other.threads;
  begin_ns = std::min(begin_ns, other.begin_ns);
  end_ns = std::max(end_ns, other.end_ns);
}

Phase::Phase(ring::Port& port, std::string name, Lines lines, Work& work, Pace pace)
    : port_(port),
      lines_(lines),
      first_slot_(lines.empty() ? 0 : lines.front()->slot()),
      work_(work),
      pace_(pace),
      slots_(lines.size()),
      timer_(port, [](void* owner) { static_cast<Phase*>(owner)->on_timer(); }, this) {
  result_.name = std::move(name);
  result_.offered_per_s = lines.empty() ? 0 : pace.rate_per_s;
}

Phase::~Phase() {
  if (done_) return;
  for (auto& line : lines_) line->use(nullptr);
}

void Phase::start() {
  result_.begin_ns = port_.now_ns();
  cpu_begin_ns_ = thread_cpu_ns();
  stop_ns_ = result_.begin_ns + pace_.duration_ns;
  if (lines_.empty()) return end();
  if (pace_.rate_per_s > 0) {
    schedule_.emplace(result_.begin_ns + pace_.offset_ns, stop_ns_, pace_.rate_per_s, lines_.size());
  }
  for (auto& line : lines_) line->use(this);
  for (auto& line : lines_) pump(*line);
  check_done();
  set_timer();
}

void Phase::stop() {
  if (done_) return;
  stop_ns_ = std::min(stop_ns_, port_.now_ns());
  if (schedule_) schedule_->end_at(stop_ns_);
  check_done();
  set_timer();
}

// Closed loop: now. Open loop: the time of the slot's next request, if that has come.
std::optional<std::int64_t> Phase::next_intended_ns(const Slot& slot, std::size_t index) const {
  const std::int64_t now_ns = port_.now_ns();
  if (!schedule_) return now_ns < stop_ns_ ? std::optional(now_ns) : std::nullopt;
  if (slot.begun >= schedule_->due_on(index, schedule_->due(now_ns))) return std::nullopt;
  return schedule_->intended_ns(schedule_->index(index, slot.begun));
}

// True: a request has been sent.
bool Phase::pump(Line& line) {
  Slot& slot = slots_[index_of(line)];
  if (done_ || slot.intended_ns || !line.ready() || !work_.has_next(line.slot())) return false;
  slot.intended_ns = next_intended_ns(slot, index_of(line));
  if (!slot.intended_ns) return false;
  ++slot.begun;
  ++in_progress_;
  ++result_.sent;
  line.send(work_.request(line.slot()), ++slot.correlation_id);
  return true;
}

void Phase::on_answer(Line& line, Bytes payload) {
  Slot& slot = slots_[index_of(line)];
  if (!slot.intended_ns) {  // of the phase before, which had given it up
    pump(line);
    return;
  }
  Reader reader(payload);
  const bool ours = reader.read_i32() == slot.correlation_id;
  skip_tagged_fields(reader);
  const auto error = ours && reader.ok() ? work_.answer(line.slot(), reader.rest()) : std::nullopt;
  settle(slot, !error ? "MALFORMED_ANSWER" : *error == ErrorCode::none ? "" : std::string(name(*error)));
  pump(line);
  check_done();
}

void Phase::on_lost(Line& line, int) {
  Slot& slot = slots_[index_of(line)];
  if (slot.intended_ns) settle(slot, "CONNECTION_LOST");
  check_done();
}

void Phase::settle(Slot& slot, const std::string& error) {
  result_.end_ns = port_.now_ns();
  result_.latency.record(result_.end_ns - *slot.intended_ns);
  slot.intended_ns.reset();
  --in_progress_;
  ++settled_;
  if (error.empty())
    ++result_.ok;
  else
    ++result_.errors[error];
}

// Open loop: the lines whose time has come since the last look. One that is busy sends when it has its answer.
void Phase::release_due() {
  const std::uint64_t due = schedule_->due(port_.now_ns());
  const std::uint64_t lines = std::min<std::uint64_t>(due - std::min(due, released_), lines_.size());
  for (std::uint64_t i = released_; i < released_ + lines; ++i) {
    const std::size_t index = i % lines_.size();
    if (pump(*lines_[index])) result_.late.record(port_.now_ns() - *slots_[index].intended_ns);
  }
  released_ = due;
}

void Phase::on_timer() {
  if (done_) return;
  if (schedule_) release_due();
  if (port_.now_ns() >= stop_ns_ + pace_.drain_ns) return end();
  check_done();
  set_timer();
}

void Phase::set_timer() {
  if (done_) return;
  if (schedule_ && released_ < schedule_->total()) return timer_.set(schedule_->intended_ns(released_));
  timer_.set(port_.now_ns() < stop_ns_ ? stop_ns_ : stop_ns_ + pace_.drain_ns);
}

void Phase::check_done() {
  if (done_ || in_progress_ > 0) return;
  const bool over = port_.now_ns() >= stop_ns_;
  if (work_.finished() || (over && (!schedule_ || settled_ >= schedule_->total()))) end();
}

// What has no answer by now counts as late as it is.
void Phase::end() {
  done_ = true;
  timer_.set(INT64_MAX);
  const std::int64_t now_ns = port_.now_ns();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const auto leave_unanswered = [&](std::int64_t intended_ns) {
      ++result_.unanswered;
      result_.latency.record(now_ns - intended_ns);
      result_.end_ns = now_ns;
    };
    if (slot.intended_ns) leave_unanswered(*slot.intended_ns);
    if (!schedule_ || work_.finished()) continue;
    const std::uint64_t due = schedule_->due_on(i, schedule_->due(now_ns));
    for (; slot.begun < due; ++slot.begun) leave_unanswered(schedule_->intended_ns(schedule_->index(i, slot.begun)));
  }
  result_.end_ns = std::max(result_.end_ns, result_.begin_ns);
  result_.cpu_ns = thread_cpu_ns() - cpu_begin_ns_;
  for (auto& line : lines_) line->use(nullptr);
}

}  // namespace hayward::tools

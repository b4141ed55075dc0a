// What the parts of a load are made of: connecting, phases, waiting for the other threads. The parts: load_parts.cc.
#include "tools/load/load.h"

#include <algorithm>

namespace hayward::tools {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t tick_ns = 5'000'000;
constexpr std::int64_t connect_patience_ns = 10 * second_ns;
// Beside a part: until that is over.
constexpr std::int64_t no_limit_ns = 86400 * second_ns;

// Broker g of all belongs to thread g % threads: so those that are to die, the last of all, are the last of each.
std::vector<std::int32_t> ids_of(const LoadOptions& options, std::size_t thread, std::size_t threads) {
  std::vector<std::int32_t> ids;
  for (std::size_t g = thread; g < options.brokers; g += threads) {
    ids.push_back(options.first_id + static_cast<std::int32_t>(g));
  }
  return ids;
}

}  // namespace

Load::Load(ring::Port& port, const LoadTarget& target, const LoadOptions& options, Share share, Crew& crew,
           Watch* watch, TurnUntil turn_until, Progress progress)
    : port_(port),
      target_(target),
      options_(options),
      share_(share),
      crew_(crew),
      watch_(watch),
      turn_until_(std::move(turn_until)),
      progress_(std::move(progress)),
      second_(
          port, [](void* owner) { static_cast<Load*>(owner)->on_second(); }, this),
      tick_(
          port,
          [](void* owner) {
            auto& load = *static_cast<Load*>(owner);
            if (load.waiting_) load.tick_.set(load.port_.now_ns() + tick_ns);
          },
          this),
      prng_(share.seed),
      brokers_(make_brokers(ids_of(options, share.thread, crew.threads()), prng_)),
      doomed_(share_of(options.brokers) - share_of(options.brokers - options.kill)),
      living_(brokers_.size()) {}

void Load::run() {
  if (progress_) second_.set(port_.now_ns() + second_ns);
  for (const Part part : options_.parts) {
    meet();
    if (crew_.failed()) break;
    run_part(part);
  }
  for (const auto& observer : observers_) observer->stop();
  second_.set(INT64_MAX);
}

void Load::on_second() {
  std::vector<const PhaseResult*> results;
  for (const Phase* phase : shown_) results.push_back(&phase->result());
  progress_(results);
  second_.set(port_.now_ns() + second_ns);
}

void Load::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  crew_.fail();
}

bool Load::await(const Condition& condition, std::int64_t until_ns) {
  waiting_ = true;
  tick_.set(port_.now_ns() + tick_ns);
  turn_until_([&] { return condition() || port_.now_ns() >= until_ns; });
  waiting_ = false;
  return condition();
}

void Load::meet() {
  const std::uint64_t meeting = crew_.arrive();
  await([&] { return crew_.passed(meeting); });
}

std::size_t Load::share_of(std::size_t count) const {
  return (count + crew_.threads() - 1 - share_.thread) / crew_.threads();
}

std::uint64_t Load::requests_of_clients(std::uint64_t count) const {
  std::uint64_t before = 0;
  for (std::size_t thread = 0; thread < share_.thread; ++thread) {
    before += (options_.clients + crew_.threads() - 1 - thread) / crew_.threads();
  }
  const std::uint64_t mine = share_of(options_.clients);
  return count * (before + mine) / options_.clients - count * before / options_.clients;
}

void Load::add_lines(OwnedLines& lines, std::size_t count) {
  while (lines.size() < count) {
    lines.push_back(std::make_unique<Line>(port_, lines.size(), target_.address, target_.length));
  }
}

void Load::connect(Phase::Lines lines) {
  for (const auto& line : lines) line->open();
  const auto all_ready = [&] { return std::ranges::all_of(lines, [](const auto& line) { return line->ready(); }); };
  if (await(all_ready, port_.now_ns() + connect_patience_ns)) return;
  const auto ready = std::ranges::count_if(lines, [](const auto& line) { return line->ready(); });
  fail("expected " + std::to_string(lines.size()) + " connections within 10 s, found " + std::to_string(ready) +
       " (the others were refused or broken)");
}

void Load::connect_observers() {
  add_lines(observer_lines_, std::min(share_of(options_.observers), brokers_.size()));
  for (std::size_t i = 0; i < observer_lines_.size(); ++i) {
    observers_.push_back(std::make_unique<Observer>(port_, *observer_lines_[i], brokers_[i].id,
                                                    FetchTerms{options_.cluster_id, options_.fetch_version}, nullptr));
    brokers_[i].observer = observers_.back().get();
  }
  connect(observer_lines_);
  for (const auto& observer : observers_) observer->start();
}

Phase& Load::make_phase(const std::string& name, Phase::Lines lines, Work& work, Pace pace) {
  phases_.push_back(std::make_unique<Phase>(port_, name, lines, work, pace));
  return *phases_.back();
}

const PhaseResult& Load::run_phase(const std::string& name, Phase::Lines lines, Work& work, Pace pace) {
  Phase& phase = make_phase(name, lines, work, pace);
  if (!name.empty()) shown_.push_back(&phase);
  phase.start();
  await([&] { return phase.done(); });
  if (!name.empty()) finish(phase);
  return phase.result();
}

void Load::finish(const Phase& phase) {
  std::erase(shown_, &phase);
  results_.push_back(phase.result());
}

void Load::beside(const std::string& name, const std::function<void()>& part) {
  const double rate_per_s = static_cast<double>(living_) / options_.heartbeat_interval_s;
  const BrokerRange living = range(0, living_);
  Phase& beats = make_phase(name + "/heartbeats", lines_of(living),
                            make_work<HeartbeatWork>(living, HeartbeatWork::Until::stopped),
                            {.rate_per_s = rate_per_s, .duration_ns = no_limit_ns, .drain_ns = options_.drain_ns});
  shown_.push_back(&beats);
  beats.start();
  part();
  meet();
  beats.stop();
  await([&] { return beats.done(); });
  finish(beats);
}

}  // namespace hayward::tools

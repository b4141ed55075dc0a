// See load.h.
#include "tools/load/load.h"

#include <algorithm>

namespace hayward::tools {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr double steady_interval_s = 2;  // broker.heartbeat.interval.ms
constexpr std::int64_t connect_patience_ns = 10 * second_ns;
// Long enough for any number of topics; the phase ends when they are there.
constexpr std::int64_t topics_limit_ns = 3600 * second_ns;

std::vector<LoadBroker> brokers_of(const LoadOptions& options, std::uint64_t seed) {
  Prng prng(seed);
  return make_brokers(options.first_id, options.brokers, prng);
}

}  // namespace

Load::Load(ring::Port& port, const LoadTarget& target, LoadOptions options, std::uint64_t seed, TurnUntil turn_until,
           Progress progress)
    : port_(port),
      target_(target),
      options_(std::move(options)),
      turn_until_(std::move(turn_until)),
      progress_(std::move(progress)),
      second_(
          port, [](void* owner) { static_cast<Load*>(owner)->on_second(); }, this),
      brokers_(brokers_of(options_, seed)),
      register_(brokers_, options_.cluster_id),
      unfence_(brokers_, HeartbeatWork::Until::unfenced),
      heartbeat_(brokers_, HeartbeatWork::Until::stopped),
      create_topics_(options_.topics) {}

void Load::run() {
  if (progress_) second_.set(port_.now_ns() + second_ns);
  connect(broker_lines_, options_.brokers);
  if (problem_.empty() && bring_in_brokers()) {
    if (options_.duration_s > 0) heartbeat();
    if (options_.topics.count > 0) create_topics();
  }
  second_.set(INT64_MAX);
}

void Load::on_second() {
  if (current_ != nullptr) progress_(current_->result());
  second_.set(port_.now_ns() + second_ns);
}

void Load::connect(Phase::Lines& lines, std::size_t count) {
  for (std::size_t slot = 0; slot < count; ++slot) {
    lines.push_back(std::make_unique<Line>(port_, slot, target_.address, target_.length));
    lines.back()->open();
  }
  bool late = false;
  ring::DeadlineTimer limit(port_, [](void* owner) { *static_cast<bool*>(owner) = true; }, &late);
  limit.set(port_.now_ns() + connect_patience_ns);
  const auto all_ready = [&] { return std::ranges::all_of(lines, [](const auto& line) { return line->ready(); }); };
  turn_until_([&] { return late || all_ready(); });
  if (late)
    problem_ = "expected " + std::to_string(count) + " connections within 10 s, found that some were refused or broken";
  limit.set(port_.now_ns());  // brings its timeout home, which must not outlive it
  turn_until_([&] { return limit.quiet(); });
}

Phase& Load::add_phase(const char* name, Phase::Lines& lines, Work& work, Pace pace) {
  phases_.push_back(std::make_unique<Phase>(port_, name, lines, work, pace));
  return *phases_.back();
}

void Load::run_phase(Phase& phase) {
  current_ = &phase;
  phase.start();
  turn_until_([&] { return phase.done(); });
  current_ = nullptr;
}

bool Load::bring_in_brokers() {
  const Pace pace{.duration_ns = options_.give_up_ns, .drain_ns = options_.drain_ns};
  run_phase(add_phase("register", broker_lines_, register_, pace));
  if (std::ranges::any_of(brokers_, [](const LoadBroker& b) { return b.epoch == BrokerEpoch{-1}; })) {
    problem_ =
        "expected every broker to be registered, found errors (DUPLICATE_BROKER_REGISTRATION: an earlier load's "
        "brokers are still alive: choose another --first-id, or wait for their session to end)";
    return false;
  }
  run_phase(add_phase("unfence", broker_lines_, unfence_, pace));
  if (!unfence_.finished()) problem_ = "expected every broker to be unfenced, found some fenced";
  return unfence_.finished();
}

void Load::heartbeat() {
  const Pace pace{options_.rate_per_s, static_cast<std::int64_t>(options_.duration_s * 1e9), options_.drain_ns};
  run_phase(add_phase("heartbeat", broker_lines_, heartbeat_, pace));
}

void Load::create_topics() {
  connect(client_lines_, options_.clients);
  if (!problem_.empty()) return;
  const double rate_per_s = static_cast<double>(options_.brokers) / steady_interval_s;
  Phase& beside = add_phase("heartbeat beside create_topics", broker_lines_, heartbeat_,
                            {rate_per_s, topics_limit_ns, options_.drain_ns});
  Phase& topics = add_phase("create_topics", client_lines_, create_topics_,
                            {.duration_ns = topics_limit_ns, .drain_ns = options_.drain_ns});
  beside.start();
  run_phase(topics);
  beside.stop();
  turn_until_([&] { return beside.done(); });
}

}  // namespace hayward::tools

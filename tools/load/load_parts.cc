// The parts of a load, each as one thread carries it out.
#include <algorithm>

#include "tools/load/alter_partition.h"
#include "tools/load/load.h"
#include "tools/load/log_end.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
// Long enough for any number of requests; the phase ends when they are done.
constexpr std::int64_t requests_limit_ns = 3600 * second_ns;
constexpr std::int64_t last_words_limit_ns = 2 * second_ns;
constexpr std::size_t most_partitions_altered = 20'000;

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

void Load::run_part(Part part) {
  switch (part) {
    case Part::register_:
      return run_register();
    case Part::unfence:
      return run_unfence();
    case Part::steady:
      return run_steady();
    case Part::create:
      return run_create();
    case Part::alter_partition:
      return run_alter_partition();
    case Part::kill:
      return run_kill();
    case Part::return_:
      return run_return();
  }
}

void Load::run_register() {
  add_lines(lines_, brokers_.size());
  connect(lines_);
  connect_observers();
  meet();
  if (crew_.failed()) return;
  bring_in("register", nullptr, range(0, brokers_.size()));
}

void Load::run_unfence() { bring_in(nullptr, "unfence", range(0, brokers_.size())); }

void Load::bring_in(const char* register_name, const char* unfence_name, BrokerRange brokers) {
  if (register_name != nullptr) {
    run_phase(register_name, lines_of(brokers), make_work<RegisterWork>(brokers, options_.cluster_id), bring_in_pace());
    const auto unregistered = [](const LoadBroker& b) { return b.epoch == BrokerEpoch{-1}; };
    if (std::ranges::any_of(brokers.all, unregistered)) {
      return fail(
          "expected every broker to be registered, found errors (DUPLICATE_BROKER_REGISTRATION: an earlier load's "
          "brokers are still alive: choose another --first-id, or wait for their session to end)");
    }
    learn_log_end(brokers);
  }
  if (unfence_name == nullptr) return;
  auto& unfence = make_work<HeartbeatWork>(brokers, HeartbeatWork::Until::unfenced);
  run_phase(unfence_name, lines_of(brokers), unfence, bring_in_pace());
  if (!unfence.finished()) fail("expected every broker to be unfenced, found some fenced");
}

void Load::learn_log_end(BrokerRange brokers) {
  auto& end = make_work<LogEndWork>();
  run_phase("", lines_of(brokers), end, {.duration_ns = give_up_ns(options_), .drain_ns = options_.drain_ns});
  if (brokers.count > 0 && end.high_watermark() <= Offset{0}) return fail("expected the log's end, found no answer");
  for (std::size_t i = brokers.first; i < brokers.first + brokers.count; ++i) {
    set_read(brokers.all[i], Offset{end.high_watermark().value - 1});
  }
}

void Load::run_steady() {
  const BrokerRange living = range(0, living_);
  const double part = static_cast<double>(living_) / static_cast<double>(std::max<std::size_t>(1, living_in_all()));
  Pace pace{.rate_per_s = options_.rate_per_s * part,
            .duration_ns = static_cast<std::int64_t>(options_.duration_s * 1e9),
            .drain_ns = options_.drain_ns};
  // The threads' requests fall between each other's.
  if (options_.rate_per_s > 0)
    pace.offset_ns = static_cast<std::int64_t>(static_cast<double>(share_.thread) * 1e9 / options_.rate_per_s);
  run_phase("steady", lines_of(living), make_work<HeartbeatWork>(living, HeartbeatWork::Until::stopped), pace);
}

void Load::run_create() {
  add_lines(client_lines_, share_of(options_.clients));
  connect(client_lines_);
  TopicsOptions topics{
      .prefix = options_.topic_prefix + std::to_string(share_.thread) + "-" + std::to_string(phases_.size()) + "-",
      .count = requests_of_clients(options_.topics),
      .partitions = options_.partitions,
      .replication_factor = options_.replication_factor,
      .placement = {}};
  for (std::size_t g = 0; options_.survivors_percent >= 0 && g < options_.brokers; ++g) {
    auto& side = g < options_.brokers - options_.kill ? topics.placement.living : topics.placement.doomed;
    side.push_back(NodeId{options_.first_id + static_cast<std::int32_t>(g)});
  }
  topics.placement.survivors_percent = static_cast<unsigned>(std::max(0, options_.survivors_percent));
  beside("create", [&] {
    run_phase("create", client_lines_, make_work<CreateTopicsWork>(topics),
              {.duration_ns = requests_limit_ns, .drain_ns = options_.drain_ns});
  });
}

void Load::run_alter_partition() {
  add_lines(client_lines_, share_of(options_.clients));
  connect(client_lines_);
  beside("alter-partition", [&] {
    const std::int64_t now_ns = port_.now_ns();
    if (first_thread() && !await([&] { return watch_->caught_up_since(now_ns); }, now_ns + give_up_ns(options_))) {
      fail("expected to read the metadata log to its end, found that it could not be fetched");
    }
    meet();
    std::vector<LedPartition> all = watch_->altered_candidates(most_partitions_altered);
    if (all.empty()) fail("expected partitions with two or more replicas in sync, found none: create some before");
    std::vector<LedPartition> mine;
    for (std::size_t i = share_.thread; i < all.size(); i += crew_.threads()) mine.push_back(std::move(all[i]));
    meet();  // all have chosen before the first is changed
    run_phase("alter-partition", client_lines_,
              make_work<AlterPartitionWork>(std::move(mine), client_lines_.size(),
                                            requests_of_clients(options_.alter_partitions)),
              {.duration_ns = requests_limit_ns, .drain_ns = options_.drain_ns});
  });
}

void Load::run_kill() {
  living_ = brokers_.size() - doomed_;
  beside("kill", [&] {
    const std::int64_t now_ns = port_.now_ns();
    if (first_thread()) {
      crew_.forget_contacts();
      if (!await([&] { return watch_->caught_up_since(now_ns); }, now_ns + give_up_ns(options_))) {
        fail("expected to read the metadata log to its end, found that it could not be fetched");
      }
    }
    meet();
    last_words(range(living_, doomed_));
    meet();
    see_fall();
  });
}

// A last heartbeat of each, all at once, so that their sessions end together; then nothing more.
void Load::last_words(BrokerRange doomed) {
  const auto lines = lines_of(doomed);
  const PhaseResult& last = run_phase("", lines, make_work<HeartbeatWork>(doomed, HeartbeatWork::Until::once),
                                      {.duration_ns = last_words_limit_ns, .drain_ns = last_words_limit_ns});
  if (!lines.empty()) crew_.note_contact(last.begin_ns, last.end_ns);
  for (const auto& line : lines) line->close();
  for (std::size_t i = living_; i < observers_.size(); ++i) {
    observers_[i]->stop();
    observer_lines_[i]->close();
  }
  await([&] { return std::ranges::all_of(lines, [](const auto& line) { return line->closed(); }); },
        port_.now_ns() + last_words_limit_ns);
}

void Load::see_fall() {
  PhaseResult result;
  result.name = "kill";
  result.begin_ns = INT64_MAX;  // of all threads the first one's
  if (first_thread()) {
    const auto session_ns = static_cast<std::int64_t>(options_.session_timeout_s * 1e9);
    const std::int64_t expiry_ns = crew_.last_contact_ns() + session_ns;
    std::vector<NodeId> doomed;
    for (std::size_t g = options_.brokers - options_.kill; g < options_.brokers; ++g) {
      doomed.push_back(NodeId{options_.first_id + static_cast<std::int32_t>(g)});
    }
    watch_->doom(doomed, crew_.first_contact_ns() + session_ns, expiry_ns);
    await([&] { return watch_->settled(); }, expiry_ns + give_up_ns(options_));
    const Fall fall = watch_->fall();
    result.begin_ns = expiry_ns;
    result.end_ns = std::max(expiry_ns, std::max(fall.last_ns, fall.last_fenced_ns));
    result.latency = fall.after_expiry;
    result.sent = fall.led;
    result.ok = fall.moved + fall.leaderless;
    result.unanswered = fall.waiting;
    for (std::uint64_t i = 0; i < fall.waiting; ++i) result.latency.record(port_.now_ns() - expiry_ns);
    if (fall.fenced < doomed.size()) result.errors["NOT_FENCED"] = doomed.size() - fall.fenced;
    if (fall.too_early > 0) result.errors["TOO_EARLY"] = fall.too_early;
    result.details = {{"killed", static_cast<double>(doomed.size())},
                      {"led", static_cast<double>(fall.led)},
                      {"moved", static_cast<double>(fall.moved)},
                      {"leaderless", static_cast<double>(fall.leaderless)}};
    if (fall.first_ns != 0) result.details["first_change_ms"] = ms(fall.first_ns - expiry_ns);
    if (fall.first_ns != 0) result.details["last_change_ms"] = ms(fall.last_ns - expiry_ns);
    if (fall.fenced > 0) result.details["last_fenced_ms"] = ms(fall.last_fenced_ns - expiry_ns);
  }
  results_.push_back(std::move(result));
}

void Load::run_return() {
  const BrokerRange dead = range(living_, doomed_);
  beside("return", [&] {
    for (std::size_t i = dead.first; i < brokers_.size(); ++i) {
      brokers_[i].incarnation = IncarnationId{prng_.uuid()};
      brokers_[i].epoch = BrokerEpoch{-1};
    }
    connect(lines_of(dead));
    for (std::size_t i = dead.first; i < observers_.size(); ++i) {
      observer_lines_[i]->open();
      observers_[i]->start();
    }
    meet();
    bring_in("return", "return/unfence", dead);
  });
  living_ = brokers_.size();
}

}  // namespace hayward::tools

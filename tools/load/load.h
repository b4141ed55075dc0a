// One thread's share of a load: its brokers and clients through the parts of the plan, in step with the other threads.
// In every part but `steady` (and until the brokers are in) the living brokers heartbeat at their interval beside it.
// Owner: its thread; must outlive its port.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/ring/deadline_timer.h"
#include "tools/load/brokers.h"
#include "tools/load/crew.h"
#include "tools/load/observer.h"
#include "tools/load/options.h"
#include "tools/load/phase.h"
#include "tools/load/topics.h"
#include "tools/load/watch.h"

namespace hayward::tools {

class Load {
 public:
  // Turns the port until the condition holds.
  using TurnUntil = std::function<void(const std::function<bool()>& condition)>;
  // Called about every second with the phases in progress.
  using Progress = std::function<void(const std::vector<const PhaseResult*>&)>;
  struct Share {
    std::size_t thread = 0;  // of crew.threads()
    std::uint64_t seed = 1;
  };
  // `watch`: for alter-partition and kill; may be nullptr without them.
  Load(ring::Port& port, const LoadTarget& target, const LoadOptions& options, Share share, Crew& crew, Watch* watch,
       TurnUntil turn_until, Progress progress = {});

  // Everything, one part after the other. A part that fails as a whole ends the run; why is in problem().
  void run();
  // The same phases in the same order on every thread, unless there was a problem.
  const std::vector<PhaseResult>& results() const { return results_; }
  // Empty: no problem of this thread.
  const std::string& problem() const { return problem_; }

 private:
  using OwnedLines = std::vector<std::unique_ptr<Line>>;
  using Condition = std::function<bool()>;

  // --- the parts (load_parts.cc)
  void run_part(Part part);
  void run_register();
  void run_unfence();
  void run_steady();
  void run_create();
  void run_alter_partition();
  void run_kill();
  void run_return();
  void bring_in(const char* register_name, const char* unfence_name, BrokerRange brokers);
  void learn_log_end(BrokerRange brokers);
  void last_words(BrokerRange doomed);
  void see_fall();

  // --- what they are made of (load.cc)
  void connect(Phase::Lines lines);
  void add_lines(OwnedLines& lines, std::size_t count);
  void connect_observers();
  Phase& make_phase(const std::string& name, Phase::Lines lines, Work& work, Pace pace);
  // Starts one and waits for its end; its result is kept when `name` is not empty.
  const PhaseResult& run_phase(const std::string& name, Phase::Lines lines, Work& work, Pace pace);
  void finish(const Phase& phase);
  template <class Kind, class... Arguments>
  Kind& make_work(Arguments&&... arguments) {
    works_.push_back(std::make_unique<Kind>(std::forward<Arguments>(arguments)...));
    return static_cast<Kind&>(*works_.back());
  }
  void beside(const std::string& name, const std::function<void()>& part);
  // Until the condition holds (true) or the time is there (false); looks at it every few milliseconds, too.
  bool await(const Condition& condition, std::int64_t until_ns = INT64_MAX);
  void meet();
  void fail(std::string problem);
  void on_second();
  BrokerRange range(std::size_t first, std::size_t count) { return {brokers_, first, count}; }
  Phase::Lines lines_of(const BrokerRange& range) const {
    return Phase::Lines(lines_).subspan(range.first, range.count);
  }
  Pace bring_in_pace() const { return {.duration_ns = give_up_ns(options_), .drain_ns = options_.drain_ns}; }
  // Of `count` things dealt out to the threads one by one: how many this thread has.
  std::size_t share_of(std::size_t count) const;
  // Of `count` requests: those of this thread's clients.
  std::uint64_t requests_of_clients(std::uint64_t count) const;
  bool first_thread() const { return share_.thread == 0; }
  // Living brokers of all threads.
  std::size_t living_in_all() const { return options_.brokers - (living_ < brokers_.size() ? options_.kill : 0); }

  ring::Port& port_;
  LoadTarget target_;
  LoadOptions options_;
  Share share_;
  Crew& crew_;
  Watch* watch_;
  TurnUntil turn_until_;
  Progress progress_;
  ring::DeadlineTimer second_;
  ring::DeadlineTimer tick_;
  bool waiting_ = false;
  Prng prng_;
  std::vector<LoadBroker> brokers_;  // those that are to die are the last ones
  std::size_t doomed_;               // how many those are
  std::size_t living_;               // the first so many heartbeat
  OwnedLines lines_;                 // of brokers_
  OwnedLines client_lines_;
  OwnedLines observer_lines_;  // of the first of brokers_
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<std::unique_ptr<Work>> works_;  // these two live as long as lines may speak of them
  std::vector<std::unique_ptr<Phase>> phases_;
  std::vector<const Phase*> shown_;
  std::vector<PhaseResult> results_;
  std::string problem_;
};

}  // namespace hayward::tools

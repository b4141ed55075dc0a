// A whole load: brokers register, are unfenced, heartbeat for a while; then, if wished, topics are created while the
// brokers go on heartbeating every two seconds. Each part is one Phase with its own result.
// Owner: the verb `load`, or a test. Must outlive its port. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/ring/deadline_timer.h"
#include "tools/load/brokers.h"
#include "tools/load/phase.h"
#include "tools/load/topics.h"

namespace hayward::tools {

struct LoadOptions {
  std::string cluster_id;
  std::int32_t first_id = 1000;
  std::size_t brokers = 20;
  double rate_per_s = 0;  // heartbeats of all brokers together; 0: closed loop
  double duration_s = 10;
  TopicsOptions topics;                      // count 0: none
  std::size_t clients = 1;                   // connections that create topics
  std::int64_t give_up_ns = 30'000'000'000;  // for registering, and for being unfenced
  std::int64_t drain_ns = 10'000'000'000;    // for late answers at the end of a phase
};

struct LoadTarget {
  sockaddr_storage address{};
  socklen_t length = 0;
};

class Load {
 public:
  // Turns the port until the condition holds.
  using TurnUntil = std::function<void(const std::function<bool()>& condition)>;
  // Called every second with the phase in progress.
  using Progress = std::function<void(const PhaseResult&)>;
  Load(ring::Port& port, const LoadTarget& target, LoadOptions options, std::uint64_t seed, TurnUntil turn_until,
       Progress progress = {});

  // Everything, one phase after the other. A part that fails as a whole ends the run; why is in problem().
  void run();
  const std::vector<std::unique_ptr<Phase>>& phases() const { return phases_; }
  // Empty: every part was begun.
  const std::string& problem() const { return problem_; }

 private:
  void connect(Phase::Lines& lines, std::size_t count);
  Phase& add_phase(const char* name, Phase::Lines& lines, Work& work, Pace pace);
  void run_phase(Phase& phase);
  bool bring_in_brokers();
  void heartbeat();
  void create_topics();
  void on_second();

  ring::Port& port_;
  LoadTarget target_;
  LoadOptions options_;
  TurnUntil turn_until_;
  Progress progress_;
  ring::DeadlineTimer second_;
  Phase* current_ = nullptr;
  std::vector<LoadBroker> brokers_;
  Phase::Lines broker_lines_;
  Phase::Lines client_lines_;
  RegisterWork register_;
  HeartbeatWork unfence_;
  HeartbeatWork heartbeat_;
  CreateTopicsWork create_topics_;
  std::vector<std::unique_ptr<Phase>> phases_;
  std::string problem_;
};

}  // namespace hayward::tools

// A quorum of simulated controllers under faults that a seed draws, with clients that write to it, an oracle that watches
// every step, and a time of healing after which all must be well.
// Owner: quorum_sim_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/base/trace.h"
#include "engine/core/node.h"
#include "network.h"
#include "oracle.h"
#include "schemas/runtime/error_code.h"
#include "tests/sim/core/sim_log.h"

namespace hayward::sim {

inline DirectoryId directory_of(Id id) { return DirectoryId{Uuid{0xd1, static_cast<std::uint64_t>(id)}}; }

// What happened, summed over runs: each must come up in a long one.
struct QuorumHappenings {
  std::uint64_t steps = 0, crashes = 0, pauses = 0, partitions = 0, one_way = 0, bad_networks = 0, slow_disks = 0,
      stops = 0, elections = 0, truncations = 0, refused_dials = 0, timeouts = 0, duplicates = 0, resets = 0, drops = 0,
      acknowledged = 0, refused_writes = 0, snapshots_loaded = 0, records = 0, voters_added = 0, voters_removed = 0;
  void add(const QuorumHappenings& other);
};

class QuorumWorld {
 public:
  struct Options {
    std::uint64_t seed = 1;
    int voters = 3;
    bool dynamic = false;            // voters by the log (kraft.version 1), else by configuration
    bool changing = false;           // dynamic: voters come and go, and there is one controller more that is none at first
    std::int64_t faults_ms = 40'000;
    std::int64_t snapshot_bytes = 20971520;
  };
  explicit QuorumWorld(const Options& options);

  // nullopt: every invariant held, and all was well in the end.
  std::optional<std::string> run();
  // Instead of the seed's faults: the leader goes `times` times, each time once all is well, and comes back later. It is
  // killed, or stands still so that only the others' clocks can tell. How long each time until another one is active, in
  // ms; the error: what did not hold.
  enum class Loss { kill, stand_still };
  std::expected<std::vector<std::int64_t>, std::string> lose_leaders(int times, Loss loss);
  // Nor any fault but one: a follower is cut off from everybody for so long. nullopt: leader and epoch are the same after.
  std::optional<std::string> isolate_a_follower(std::int64_t for_ms);
  const QuorumHappenings& happenings() const { return happenings_; }
  std::uint64_t trace_hash() const { return trace_.value(); }

 private:
  // One controller: what lasts, and its process while it runs.
  struct Controller {
    explicit Controller(core::NodeConfig node_config, std::uint64_t seed) : config(std::move(node_config)), log(seed) {}
    core::NodeConfig config;
    SimLog log;
    std::unique_ptr<core::Node> node;
    std::uint64_t process = 0;  // rises with each start
    std::int64_t timer_ns = INT64_MAX;
    std::int64_t paused_until_ns = 0;
    std::int64_t restart_ns = INT64_MAX;
    std::int64_t image_offset = -1;
    std::uint64_t image_hash = 0;
    struct Input {
      core::Event event;
      Buffer bytes;  // what the event's views are of
      std::string listener;
    };
    std::deque<std::unique_ptr<Input>> inputs;
  };
  // Who waits for an answer on a connection.
  struct Asker {
    Id id = 0;  // 0: a client
    std::int16_t api_key = 0;
    std::int16_t version = 0;
    Buffer mark;  // of a client's write
  };

  // quorum_drills.cc
  void begin_drill();
  std::optional<std::string> run_until(std::int64_t most_ms, const std::string& what, const std::function<bool()>& done);
  Controller* active();
  bool all_is_well();

  core::NodeConfig config_of(Id id) const;
  void put_bootstrap_snapshot(Controller& controller);
  void start(Controller& controller);
  void load(Controller& controller);
  void crash(Controller& controller);
  void stop(Controller& controller);
  void run_due();
  void run_inputs(Controller& controller);
  void step(Controller& controller, const core::Event& event);
  void note_contact(const Controller& controller, const core::Event& event);
  void look_at(Controller& controller);
  void carry_out(Controller& controller, core::Effect& effect);
  void reply(Controller& controller, core::ConnectionId connection, Bytes frame);
  void ask(Controller& controller, std::uint32_t connection, std::int16_t key, std::int16_t version, Bytes body, Asker asker);
  void write_something();
  void change_voters();
  // Asks every controller, as a client that does not know who leads.
  template <class Request>
  void ask_all(const Request& request, const Buffer& mark);
  template <class Response>
  std::optional<ErrorCode> error_in(Bytes body, std::int16_t version);
  void client_answered(const Asker& asker, Bytes body);
  std::int64_t next_ns() const;
  void fault();
  void partition();
  void heal();
  std::optional<std::string> check_healed();
  std::int64_t pick(std::int64_t low, std::int64_t high);  // inclusive
  Controller& any() { return *controllers_.at(static_cast<Id>(1 + prng_.below(controllers_.size()))); }
  std::map<Id, DiskView> disks() const;
  std::optional<std::string> violation() const;

  Options options_;
  Prng prng_;
  std::int64_t now_ns_ = 1'000'000'000;
  std::map<Id, std::unique_ptr<Controller>> controllers_;
  Oracle oracle_;
  Network network_;
  std::map<std::pair<Id, std::uint32_t>, Asker> askers_;
  std::uint64_t processes_ = 0;
  std::uint32_t next_client_ = 0x40000000;
  std::uint64_t writes_ = 0;
  std::int64_t next_write_ns_ = 0;
  std::int64_t next_change_ns_ = INT64_MAX;
  std::int64_t next_fault_ns_ = 0;
  std::int64_t mend_ns_ = INT64_MAX;  // partitions and bad networks end
  std::uint64_t acknowledged_at_heal_ = 0;
  std::optional<std::string> failure_;
  bool healing_ = false;
  TraceHash trace_;
  QuorumHappenings happenings_;
};

}  // namespace hayward::sim

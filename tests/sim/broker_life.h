// A scenario: one controller, several model brokers and an operator who creates topics, in simulated time, with
// pauses, crashes, slow disks, silent and doubled brokers drawn from a seed; then a time of healing after which
// all must be well.
// Owner: broker_life_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "engine/core/invariants.h"
#include "tests/sim/brokers/lease_oracle.h"
#include "tests/sim/brokers/model_broker.h"
#include "tests/sim/core/sim_controller.h"

namespace hayward::sim {

// What happened, summed over runs: each must come up in a long one.
struct Happenings {
  std::uint64_t steps = 0;
  std::uint64_t pauses = 0;
  std::uint64_t crashes = 0;
  std::uint64_t slow_disks = 0;
  std::uint64_t busy_times = 0;
  std::uint64_t silences = 0;
  std::uint64_t kills = 0;
  std::uint64_t shutdowns = 0;        // begun
  std::uint64_t orderly_stops = 0;    // and granted
  std::uint64_t doubles = 0;          // a second process with the id of a living one
  std::uint64_t refused_doubles = 0;  // of them, answered 101
  std::uint64_t expiries = 0;
  std::uint64_t in_slices = 0;        // of them, fenced in more than one event
  std::uint64_t stalls = 0;
  std::uint64_t ignored = 0;
  std::uint64_t foreign = 0;
  std::uint64_t elsewhere = 0;        // heartbeats that reached another shard than their broker's
  std::uint64_t fetches_beside = 0;   // answered without the controller
  std::uint64_t shard_pauses = 0;
  std::uint64_t partitions = 0;
  std::uint64_t records = 0;
  void add(const Happenings& other);
};

class BrokerLife {
 public:
  struct Options {
    std::uint64_t seed = 1;
    int brokers = 5;
    std::int64_t faults_ms = 120'000;
    std::int64_t session_ms = 9000;
    std::int64_t heartbeat_ms = 2000;
    bool elr = false;
    std::int64_t topic_partitions = 4;       // at most, of each topic that is created
    std::size_t partitions_per_slice = 500;
    std::uint64_t steps_between_checks = 1;  // of the whole image: its cost follows the partitions
    std::uint16_t shards = 1;
  };
  explicit BrokerLife(const Options& options);

  // nullopt: every invariant held, and all was well in the end.
  std::optional<std::string> run();
  std::uint64_t trace_hash() { return controller_.trace().value(); }
  const Happenings& happenings() const { return happenings_; }

 private:
  struct Delivery {
    std::int64_t at_ns;
    std::uint64_t order;  // ties
    bool to_controller;
    core::ConnectionId connection;
    std::optional<Buffer> frame;  // nullopt: the connection is gone
    bool operator<(const Delivery& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  // A connection as the network knows it.
  struct Peer {
    std::size_t process = 0;  // index into processes_; operator_process: the operator
    Channel channel = Channel::heartbeat;
    std::uint32_t connection = 0;
    std::optional<LeaseOracle::Heartbeat> heartbeat;  // the one in flight
  };
  static constexpr std::size_t operator_process = SIZE_MAX;

  core::NodeConfig node_config() const;
  Watch watch();
  std::int64_t next_ns() const;
  void advance();
  void start_controller();
  void run_controller();
  void run_brokers();
  void deliver();
  void send(bool to_controller, core::ConnectionId connection, std::optional<Buffer> frame);
  core::ConnectionId connection_of(std::size_t process, Channel channel, std::uint32_t number);
  void close_all_connections();

  void fault();
  void fault_controller(std::uint64_t kind);
  void fault_broker(std::uint64_t kind);
  void create_topic();
  void tend_brokers();
  void heal();
  std::optional<std::string> check_healed() const;
  std::optional<std::string> first_violation() const;
  void note_step(const core::Event& event, const core::Effects& effects);
  void note_arrival(std::uint16_t shard, const core::Request& request);
  void note_reply(core::ConnectionId connection, Bytes frame);
  ModelBroker& add_process(std::int32_t id);
  std::int64_t now_ms() const { return now_ns_ / 1'000'000; }
  std::int64_t pick(std::int64_t low, std::int64_t high);  // inclusive

  Options options_;
  Prng prng_;
  std::int64_t now_ns_ = 1'000'000'000;
  LeaseOracle oracle_;
  core::InvariantHistory history_;
  SimController controller_;
  std::vector<std::unique_ptr<ModelBroker>> processes_;  // the first options_.brokers, then their doubles
  std::map<std::size_t, std::int64_t> restarts_ns_;      // stopped processes that come back
  std::set<std::size_t> refused_;                        // doubles that were refused
  std::priority_queue<Delivery> network_;
  std::uint64_t next_order_ = 0;
  std::map<core::ConnectionId, Peer> peers_;
  std::map<std::tuple<std::size_t, Channel, std::uint32_t>, core::ConnectionId> connections_;
  std::uint32_t next_slot_ = 0;
  std::int64_t paused_until_ns_ = 0;
  std::int64_t restart_controller_ns_ = INT64_MAX;
  std::int64_t normal_disk_ns_ = INT64_MAX;
  std::int64_t next_fault_ns_ = 0;
  std::uint64_t topics_ = 0;
  Offset committed_{0};
  bool healing_ = false;
  std::optional<std::string> violation_;
  Happenings happenings_;
};

}  // namespace hayward::sim

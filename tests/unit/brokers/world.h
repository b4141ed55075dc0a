// A single active controller without raft and machine, for tests of the broker handlers: an image, the soft
// state of brokers and a real lease table; every decision is replayed at once and remembered as text.
// Owner: the test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/authorizer/authorizer.h"
#include "engine/core/authorizer/cluster_access.h"
#include "engine/core/control/broker_heartbeat.h"
#include "engine/core/control/broker_states.h"
#include "engine/core/control/controller_registration.h"
#include "engine/core/control/describe_cluster.h"
#include "engine/core/control/register_broker.h"
#include "engine/core/control/unregister_broker.h"
#include "engine/core/image/image.h"
#include "engine/core/lease/lease_table.h"
#include "engine/core/records.h"

namespace hayward::core {

using Lines = std::vector<std::string>;

inline constexpr std::string_view test_cluster_id = "AAAAAAAAAAAAAAAAAAAAAQ";

inline IncarnationId incarnation(std::uint64_t n) { return IncarnationId{Uuid{7, n}}; }
inline DirectoryId directory(std::uint64_t n) { return DirectoryId{Uuid{9, n}}; }
inline TopicId topic_id(std::uint64_t n) { return TopicId{Uuid{5, n}}; }

class World {
 public:
  struct Options {
    std::int16_t metadata_version = 30;
    bool elr = false;
    std::int16_t kraft_version = 0;
  };
  explicit World(Options options);
  World() : World(Options{}) {}

  // A registration that is accepted; tests change single fields. Views live as long as the world.
  messages::BrokerRegistrationRequest registration(std::int32_t id, std::uint64_t incarnation_number);
  messages::BrokerRegistrationResponse registered(const messages::BrokerRegistrationRequest& request);
  // Registers and returns the epoch.
  BrokerEpoch register_broker(std::int32_t id, std::uint64_t incarnation_number = 1);
  // Registers and unfences; its recorded metadata offset is then the log's last.
  BrokerEpoch start_broker(std::int32_t id, std::uint64_t incarnation_number = 1);

  // A heartbeat of the present epoch, caught up, wanting nothing.
  messages::BrokerHeartbeatRequest heartbeat(std::int32_t id);
  messages::BrokerHeartbeatResponse beat(const messages::BrokerHeartbeatRequest& request);
  messages::UnregisterBrokerResponse unregister(std::int32_t id);

  // One topic of one partition, all in their broker's default directory; led by the first of `isr`.
  struct PartitionSpec {
    std::vector<std::int32_t> replicas;
    std::vector<std::int32_t> isr;
    std::vector<std::int32_t> elr{};
    std::vector<DirectoryId> directories{};
    std::int32_t leader = -2;  // -2: the first of isr, or none
  };
  void add_topic(std::uint64_t n, const PartitionSpec& spec);
  void set_topic_config(std::uint64_t n, std::string_view key, std::string_view value);
  const Partition& partition(std::uint64_t n) const;
  const BrokerRegistration& broker(std::int32_t id) const;

  // Time passes without a stall of ours; brokers whose leases run out are fenced. Returns their ids.
  std::vector<std::int32_t> pass_ms(std::int64_t ms);
  // The controller process stands still.
  void stall_ms(std::int64_t ms) { now_ms_ += ms; }
  // Another controller takes over: same log, no soft state.
  void fail_over();
  // Records of others, so that the log's end moves.
  void write_no_ops(int count);

  // The records of the last call; the same as text, with what went wrong.
  Lines records;
  Effects effects;  // of the last call
  std::int64_t log_end() const { return image.last_offset().value + 1; }

  template <class Function>
  auto call(std::int16_t api_version, Function&& handler);

  Image image;
  NodeConfig config;
  Authorizer authorizer{{}};  // none is configured
  ClusterAccess access;
  BrokerStates states;
  LeaseTable leases;
  Arena arena;
  std::int16_t kraft_version;
  std::string listener = "CONTROLLER";

 private:
  MonoTime now() const { return {now_ms_ * 1'000'000}; }
  void replay(const RecordList& list);
  void carry_out_effects();
  RecordList new_list() const;

  Prng prng_{1};
  Epoch epoch_{1};
  std::int64_t now_ms_ = 1000;
};

// A record as one short line.
std::string describe(Bytes frame, const Image& image);

template <class Function>
auto World::call(std::int16_t api_version, Function&& handler) {
  RequestContext request;
  request.api_version = api_version;
  request.listener = listener;
  request.now = {now(), 0};
  request.arrival = now();
  const HandlerContext context{image, config, request, Offset{log_end()}, arena, prng_, authorizer};
  RecordList list = new_list();
  effects.clear();
  auto result = handler(context, list);
  replay(list);
  return result;
}

}  // namespace hayward::core

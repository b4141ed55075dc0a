// Whole steps of the controller's machine, from the request's bytes to the encoded answer, with the log's part played
// in memory: a topic created (and its records replayed and batched), a heartbeat that changes nothing.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using namespace messages;

constexpr std::int32_t brokers = 3;

// Registers a broker and has it unfenced.
BrokerHeartbeatRequest bring_in(Machine& machine, NodeId id) {
  Arena arena;
  BrokerRegistrationRequest request;
  request.broker_id = id;
  request.cluster_id = test_cluster;
  request.incarnation_id = IncarnationId{Uuid{7, static_cast<std::uint64_t>(id.value)}};
  request.listeners.push_back(arena, {"PLAINTEXT", "127.0.0.1", 9092, 0});
  request.features.push_back(arena, {"metadata.version", 7, 30});
  request.features.push_back(arena, {"transaction.version", 0, 2});
  for (const char* name :
       {"eligible.leader.replicas.version", "group.version", "kraft.version", "share.version", "streams.version"}) {
    request.features.push_back(arena, {name, 0, 1});
  }
  request.log_dirs.push_back(arena, DirectoryId{Uuid{8, static_cast<std::uint64_t>(id.value)}});
  BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = id;
  heartbeat.broker_epoch = machine.asked<BrokerRegistrationResponse>(request).broker_epoch;
  heartbeat.current_metadata_offset = Offset{machine.disk.end().value - 1};
  machine.asked<BrokerHeartbeatResponse>(heartbeat);
  return heartbeat;
}

void CreateTopic(benchmark::State& state) {
  const auto partitions = static_cast<std::int32_t>(state.range(0));
  constexpr std::int64_t most_topics = 5000;  // then a new machine: its log is kept in memory
  std::unique_ptr<Machine> machine;
  std::int64_t topic = most_topics;
  for (auto _ : state) {
    if (topic == most_topics) {
      state.PauseTiming();
      machine = std::make_unique<Machine>();
      machine->bring_up();
      for (std::int32_t id = 1; id <= brokers; ++id) bring_in(*machine, NodeId{100 + id});
      topic = 0;
      state.ResumeTiming();
    }
    const std::string name = "topic-" + std::to_string(topic++);
    Arena arena;
    CreateTopicsRequest request;
    auto& wanted = request.topics.push_back(arena);
    wanted.name = name;
    wanted.num_partitions = partitions;
    wanted.replication_factor = 3;
    machine->ask(1, request);
    machine->flush();
  }
  if (!machine->answered(1) || machine->answer<CreateTopicsResponse>(1)->topics[0].error_code != ErrorCode::none) {
    state.SkipWithError("the topic was not created");
  }
  state.SetItemsProcessed(state.iterations() * partitions);
}
BENCHMARK(CreateTopic)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond);

void SteadyHeartbeat(benchmark::State& state) {
  Machine machine;
  machine.bring_up();
  const BrokerHeartbeatRequest heartbeat = bring_in(machine, NodeId{101});
  for (auto _ : state) machine.ask(1, heartbeat);
  if (!machine.answered(1)) state.SkipWithError("no answer");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(SteadyHeartbeat);

}  // namespace
}  // namespace hayward::core

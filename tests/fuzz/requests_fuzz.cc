// Arbitrary bodies of every served API, in every version, to a node that leads: decoders, handlers, encoders.
// Whatever comes, the node answers or closes the connection, leads on in the same epoch, and its image holds its
// invariants. The first byte chooses the API, the second the version.
// links: hayward_node_machine
#include <cstdint>

#include "engine/core/control/served.h"
#include "engine/core/invariants.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "tests/node_machine/machine.h"

namespace {

using namespace hayward;
using namespace hayward::core;

constexpr std::size_t inputs_per_machine = 2000;  // then a fresh one: what one input wrote the next may meet

void settle_with_a_broker_and_a_topic(Machine& machine) {
  Arena arena;
  messages::BrokerRegistrationRequest registration;
  registration.broker_id = NodeId{1};
  registration.cluster_id = test_cluster;
  registration.incarnation_id = IncarnationId{Uuid{5, 5}};
  auto& feature = registration.features.push_back(arena);
  feature.name = "metadata.version";
  feature.min_supported_version = 7;
  feature.max_supported_version = 30;
  registration.log_dirs.push_back(arena, DirectoryId{Uuid{9, 9}});
  const auto registered = machine.asked<messages::BrokerRegistrationResponse>(registration);
  messages::BrokerHeartbeatRequest heartbeat;
  heartbeat.broker_id = NodeId{1};
  heartbeat.broker_epoch = registered.broker_epoch;
  heartbeat.current_metadata_offset = Offset{INT32_MAX};
  machine.ask(1, heartbeat);
  machine.settle();
  messages::CreateTopicsRequest create;
  auto& topic = create.topics.push_back(arena);
  topic.name = "t";
  topic.num_partitions = 2;
  topic.replication_factor = 1;
  machine.ask(2, create);
  machine.settle();
}

Machine& machine_for_next_input() {
  static std::unique_ptr<Machine> machine;
  static std::size_t used = 0;
  if (!machine || ++used % inputs_per_machine == 0) {
    machine = std::make_unique<Machine>();
    machine->bring_up();
    settle_with_a_broker_and_a_topic(*machine);
  }
  return *machine;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  Machine& machine = machine_for_next_input();
  const auto apis = served_apis();
  const ServedApi& api = apis[data[0] % apis.size()];
  const auto version = static_cast<std::int16_t>(api.min_version + data[1] % (api.max_version - api.min_version + 1));
  const NodeView before = machine.node().view();

  machine.ask_bytes(7, api.key, version, {reinterpret_cast<const std::byte*>(data) + 2, size - 2});
  machine.settle();
  machine.pass_ms(600);  // a fetch that waits is answered
  machine.settle();

  HAYWARD_ASSERT(machine.failure().empty(), "no request ends the node");
  HAYWARD_ASSERT(machine.answered(7) || machine.closed(7), "answered or closed");
  const NodeView after = machine.node().view();
  HAYWARD_ASSERT(after.active && after.epoch == before.epoch, "it leads on in the same epoch");
  HAYWARD_ASSERT(!check(machine.node().image()), "the image holds its invariants");
  return 0;
}

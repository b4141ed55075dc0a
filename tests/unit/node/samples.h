// A well-formed request of every API that is served, with something in every array.
// Owner: the test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/node_machine/machine.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

struct Sample {
  std::string name;
  std::int16_t api_key = 0;
  std::int16_t version = 0;
  Buffer body;
};

// For each served API in each served version (Envelope aside: see envelope_test.cc). Broker 100 asks, in the
// name of `broker_epoch`; raft requests are of `epoch`.
std::vector<Sample> sample_requests(std::int64_t broker_epoch, std::int32_t epoch);

// Registers broker 100 and unfences it; its epoch.
BrokerEpoch start_broker(Machine& machine);

}  // namespace hayward::core

// Small types that events, effects and the image share.
// Owner: engine/core. Any shard.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schemas/runtime/ids.h"

namespace hayward::core {

// Names one connection for its whole life: a slot that is used again gets another generation.
struct ConnectionId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint16_t shard = 0;
  friend constexpr auto operator<=>(const ConnectionId&, const ConnectionId&) = default;
};

// IPv4 (4 bytes) or IPv6 (16).
struct ClientAddress {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t length = 4;
};

// A metadata snapshot: everything below `end`, the last of it written in `epoch`.
struct SnapshotId {
  Offset end;
  Epoch epoch;
  friend constexpr auto operator<=>(const SnapshotId&, const SnapshotId&) = default;
};

// One registration of a broker.
struct BrokerIncarnation {
  NodeId id;
  BrokerEpoch epoch;
  friend constexpr auto operator<=>(const BrokerIncarnation&, const BrokerIncarnation&) = default;
};

// Where an epoch's records begin in the log.
struct EpochStart {
  Epoch epoch;
  Offset start;
  friend constexpr auto operator<=>(const EpochStart&, const EpochStart&) = default;
};

// What quorum-state holds (Kafka's QuorumStateData).
struct QuorumState {
  Epoch epoch{0};
  NodeId leader = no_node;
  NodeId voted = no_node;
  DirectoryId voted_directory{};
  std::int16_t kraft_version = 0;    // 0 is written as data_version 0 with `voters`, else data_version 1
  std::vector<NodeId> voters;        // kept only for kraft version 0
  friend bool operator==(const QuorumState&, const QuorumState&) = default;
};

// A listener's address as brokers, peers and records see it.
struct Endpoint {
  std::string listener;              // name, e.g. CONTROLLER
  std::string host;
  std::uint16_t port = 0;
  std::int16_t security_protocol = 0;  // 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

struct Voter {
  NodeId id;
  DirectoryId directory{};
  std::vector<Endpoint> endpoints;
  std::int16_t min_kraft_version = 0;
  std::int16_t max_kraft_version = 1;
  friend bool operator==(const Voter&, const Voter&) = default;
};

}  // namespace hayward::core

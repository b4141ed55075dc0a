// New partitions: what a given assignment must satisfy, and the record that creates one.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/control/api_fault.h"
#include "engine/core/control/eligibility.h"
#include "engine/core/image/cluster.h"
#include "engine/core/records.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Whether replicas may be a partition's at all: registered brokers, none twice, at least one.
// INVALID_REPLICA_ASSIGNMENT otherwise, as for the next two.
std::optional<ApiFault> check_replicas(const Cluster& cluster, std::span<const NodeId> replicas);

// Whether the broker, a registered one, takes new replicas: not with every directory cordoned.
std::optional<ApiFault> check_not_cordoned(const Cluster& cluster, NodeId broker);

// Whether the replicas that a client lists may be a new partition's: both of the above, and as many as
// `replication_factor` (nullopt: any number).
std::optional<ApiFault> check_assignment(const Cluster& cluster, std::span<const NodeId> replicas,
                                         std::optional<std::size_t> replication_factor);

// Adds the record of a partition on `replicas`, led by the first of them that is active, all active ones in
// the ISR. False, and nothing added: none is active.
bool add_partition(const Eligibility& eligibility, TopicId topic, PartitionIndex index,
                   std::span<const NodeId> replicas, RecordList& records);

}  // namespace hayward::core

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

// Whether the replicas that a client lists may be a partition's: registered brokers, none twice, none with
// every directory cordoned, as many as `replication_factor` (nullopt: any number but 0).
// INVALID_REPLICA_ASSIGNMENT otherwise.
std::optional<ApiFault> check_assignment(const Cluster& cluster, std::span<const NodeId> replicas,
                                         std::optional<std::size_t> replication_factor);

// Adds the record of a partition on `replicas`, led by the first of them that is active, all active ones in
// the ISR. False, and nothing added: none is active.
bool add_partition(const Eligibility& eligibility, TopicId topic, PartitionIndex index,
                   std::span<const NodeId> replicas, RecordList& records);

}  // namespace hayward::core

// What a change of brokers does to partitions: fencing, unfencing, shutdown, unregistration and lost
// directories all come down to these. Cost follows the partitions concerned (the image's indexes by broker).
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/core/control/partition_changes.h"

namespace hayward::core {

// Change records for every partition that the transitions touch: those with a leaving or unclean broker in
// the ISR, those with an unclean broker in the ELR, leaderless ones with a joining broker among their
// replicas. Each partition is changed once, for all brokers together.
void generate_leader_and_isr_updates(const BrokerTransitions& transitions, PartitionChanges& changes);

// The same in slices: looks at no more than `max_partitions`, from the slot `from` on (0 at first).
// Returns the slot to go on from, after the records so far have been replayed; nullopt: done.
std::optional<std::uint32_t> generate_leader_and_isr_updates(const BrokerTransitions& transitions, std::uint32_t from,
                                                             std::size_t max_partitions, PartitionChanges& changes);

// `broker` loses what it keeps in `directories`: there it leaves ISRs and leadership as if it were fenced. In slices
// as above.
std::optional<std::uint32_t> generate_offline_directory_updates(NodeId broker, std::span<const DirectoryId> directories,
                                                                std::uint32_t from, std::size_t max_partitions,
                                                                PartitionChanges& changes);

// Reassignments whose end has been reached are finished. In slices as above.
std::optional<std::uint32_t> finish_reassignments(std::uint32_t from, std::size_t max_partitions,
                                                  PartitionChanges& changes);

// One partition of it.
void update_leader_and_isr(const Partition& partition, const BrokerTransitions& transitions, PartitionChanges& changes);

// Periodic: leaders for leaderless partitions whose topics allow unclean elections. In slices as above: looks at no
// more than `max_partitions`, from the slot `from` on; returns the slot to go on from, nullopt: done.
std::optional<std::uint32_t> elect_unclean_leaders(std::uint32_t from, std::size_t max_partitions,
                                                   PartitionChanges& changes);
// Periodic (auto.leader.rebalance.enable): back to the preferred leader where another one leads. In slices too.
std::optional<std::uint32_t> elect_preferred_leaders(std::uint32_t from, std::size_t max_partitions,
                                                     PartitionChanges& changes);
// A slice of both: about a millisecond.
inline constexpr std::size_t max_partitions_per_scan = 1000;

}  // namespace hayward::core

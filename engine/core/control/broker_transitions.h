// The records that a broker's change of state brings about: what heartbeats, expired leases, registration
// and unregistration share. All append to a RecordList and decide on the image as it was before them;
// each partition gets at most one record per call.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/control/broker_work.h"
#include "engine/core/control/context.h"
#include "engine/core/image/cluster.h"
#include "engine/core/records.h"
#include "engine/core/types.h"

namespace hayward::core {

// Takes `brokers` out of every ISR and leadership; none of them is elected. Ascending ids.
void leave_all_isrs(const HandlerContext& context, std::span<const NodeId> brokers, RecordList& records);

// The record alone that fences `broker`.
void add_fence_record(BrokerIncarnation broker, RecordList& records);

// leave_all_isrs, then the fence records.
void fence(const HandlerContext& context, std::span<const BrokerIncarnation> brokers, RecordList& records);

// The record alone that unfences `broker`.
void add_unfence_record(BrokerIncarnation broker, RecordList& records);

// The unfence record, then leadership of partitions that have no leader, but for those that the broker keeps
// in one of `offline_dirs`.
void unfence(const HandlerContext& context, BrokerIncarnation broker, std::span<const DirectoryId> offline_dirs,
             RecordList& records);

// The change record unless the image has it already; leave_all_isrs belongs behind it.
void enter_controlled_shutdown(const BrokerRegistration& broker, RecordList& records);

// Partitions that the broker keeps in `dirs` move away from it; no record about the broker itself.
void leave_directories(const HandlerContext& context, NodeId broker, std::span<const DirectoryId> dirs,
                       RecordList& records);

// The record alone that takes `dirs` (ascending) out of the broker's registration. The list that remains is empty when
// all are lost, which the record cannot tell from "no change"; Kafka writes it all the same.
void add_lost_directories(const HandlerContext& context, const BrokerRegistration& broker,
                          std::span<const DirectoryId> dirs, RecordList& records);

// The record alone that takes the registration out.
void add_unregister_record(BrokerIncarnation broker, RecordList& records);

// Before a new incarnation is registered: out of the ISRs as for a fence; after an unclean shutdown with
// eligible leader replicas enabled, out of the ISRs and the ELRs. What is too much for one event adds no record: the
// registration waits until the work that is returned is done.
BrokerWorkKind clean_up_incarnation(const HandlerContext& context, NodeId broker, bool clean_shutdown,
                                    RecordList& records);

}  // namespace hayward::core

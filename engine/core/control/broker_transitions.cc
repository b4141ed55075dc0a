// See broker_transitions.h.
#include "engine/core/control/broker_transitions.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::core {
namespace {

constexpr std::int8_t fence_value = 1;
constexpr std::int8_t unfence_value = -1;
constexpr std::int8_t in_controlled_shutdown_value = 1;

// Kafka writes each kind of change in the first version that has its field.
constexpr std::int16_t fencing_version = 0;
constexpr std::int16_t shutdown_version = 1;
constexpr std::int16_t directories_version = 2;

records::BrokerRegistrationChangeRecord change_of(BrokerIncarnation broker) {
  records::BrokerRegistrationChangeRecord change;
  change.broker_id = broker.id;
  change.broker_epoch = broker.epoch;
  return change;
}

}  // namespace

void leave_all_isrs(const HandlerContext& context, std::span<const NodeId> brokers, RecordList& records) {
  PartitionChanges changes(context, records);
  generate_leader_and_isr_updates({.leaving = brokers}, changes);
}

void fence(const HandlerContext& context, std::span<const BrokerIncarnation> brokers, RecordList& records) {
  std::vector<NodeId> ids;
  for (const BrokerIncarnation& broker : brokers) ids.push_back(broker.id);
  leave_all_isrs(context, ids, records);
  for (const BrokerIncarnation& broker : brokers) add_fence_record(broker, records);
}

void add_fence_record(BrokerIncarnation broker, RecordList& records) {
  auto change = change_of(broker);
  change.fenced = fence_value;
  records.add(change, fencing_version);
}

void add_unfence_record(BrokerIncarnation broker, RecordList& records) {
  auto change = change_of(broker);
  change.fenced = unfence_value;
  records.add(change, fencing_version);
}

void unfence(const HandlerContext& context, BrokerIncarnation broker, std::span<const DirectoryId> offline_dirs,
             RecordList& records) {
  add_unfence_record(broker, records);
  PartitionChanges changes(context, records);
  for (const Partition& partition : context.image.topics().leaderless_of(broker.id)) {
    const DirectoryId* dir = partition.directory_of(broker.id);
    if (dir != nullptr && std::ranges::find(offline_dirs, *dir) != offline_dirs.end()) continue;
    update_leader_and_isr(partition, {.joining = {&broker.id, 1}}, changes);
  }
}

void enter_controlled_shutdown(const BrokerRegistration& broker, RecordList& records) {
  if (broker.in_controlled_shutdown) return;
  auto change = change_of({broker.id, broker.epoch});
  change.in_controlled_shutdown = in_controlled_shutdown_value;
  records.add(change, shutdown_version);
}

void leave_directories(const HandlerContext& context, NodeId broker, std::span<const DirectoryId> dirs,
                       RecordList& records) {
  PartitionChanges changes(context, records);
  generate_offline_directory_updates(broker, dirs, 0, SIZE_MAX, changes);
}

void add_lost_directories(const HandlerContext& context, const BrokerRegistration& broker,
                          std::span<const DirectoryId> dirs, RecordList& records) {
  auto change = change_of({broker.id, broker.epoch});
  for (const DirectoryId dir : broker.log_dirs) {
    if (!std::ranges::binary_search(dirs, dir)) change.log_dirs.push_back(context.arena, dir);
  }
  records.add(change, directories_version);
}

void add_unregister_record(BrokerIncarnation broker, RecordList& records) {
  records::UnregisterBrokerRecord record;
  record.broker_id = broker.id;
  record.broker_epoch = broker.epoch;
  records.add(record);
}

BrokerWorkKind clean_up_incarnation(const HandlerContext& context, NodeId broker, bool clean_shutdown,
                                    RecordList& records) {
  PartitionChanges changes(context, records);
  const std::span<const NodeId> brokers{&broker, 1};
  const Topics& topics = context.image.topics();
  const bool unclean = records.elr_enabled() && !clean_shutdown;
  const bool fits =
      fits_one_slice(context, topics.in_isr_of(broker).size() + (unclean ? topics.in_elr_of(broker).size() : 0));
  if (unclean) {
    if (!fits) return BrokerWorkKind::lose;
    generate_leader_and_isr_updates({.unclean = brokers}, changes);
    return BrokerWorkKind::none;
  }
  const BrokerRegistration* old = context.image.cluster().broker(broker);
  const bool has_left = old == nullptr || old->fenced;
  if (fits) generate_leader_and_isr_updates({.leaving = brokers}, changes);
  // C3: where one that has left is still in an ISR, it is the last member and stays: very many need no look at each.
  return fits || has_left ? BrokerWorkKind::none : BrokerWorkKind::fence;
}

}  // namespace hayward::core

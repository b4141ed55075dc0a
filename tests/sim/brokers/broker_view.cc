// See broker_view.h.
#include "broker_view.h"

#include <algorithm>

#include "schemas/batch/batch_reader.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::sim {
namespace {

using records::RecordType;

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
  return {array.begin(), array.end()};
}

std::string text(NodeId id) { return "broker " + std::to_string(id.value); }

}  // namespace

void BrokerView::fail(std::string what) {
  if (!violation_) violation_ = "offset " + std::to_string(offset_.value) + ": " + std::move(what);
}

void BrokerView::reset() {
  offset_ = no_offset;
  brokers_.clear();
  partitions_.clear();
  highest_epochs_.clear();
  leaders_.clear();
}

void BrokerView::load_snapshot(Bytes batches, Offset last_contained) {
  brokers_.clear();
  partitions_.clear();
  in_snapshot_ = true;
  while (!batches.empty()) {
    const auto header = check_batch(batches);
    if (!header) {
      fail("a broken snapshot");
      break;
    }
    apply(batches.first(header->size()));
    batches = batches.subspan(header->size());
  }
  in_snapshot_ = false;
  offset_ = last_contained;
}

const BrokerView::Broker* BrokerView::broker(NodeId id) const {
  const auto found = brokers_.find(id);
  return found == brokers_.end() ? nullptr : &found->second;
}

void BrokerView::apply(Bytes batch) {
  const auto header = check_batch(batch);
  if (!header) return fail("a batch that cannot be read: " + std::string(name(header.error())));
  if (!header->is_control()) {
    RecordIterator records(*header, batch);
    while (const auto record = records.next()) {
      offset_ = record->offset;
      apply_record(record->offset, record->value.value_or(Bytes{}));
    }
    if (records.error()) fail("a record that cannot be read");
  }
  offset_ = header->last_offset();
}

void BrokerView::apply_record(Offset offset, Bytes value) {
  arena_.reset();
  const auto frame = records::parse_frame(value);
  if (!frame) return fail("a frame that cannot be read");
  apply_broker_record(offset, *frame);
  apply_partition_record(*frame);
}

void BrokerView::apply_broker_record(Offset offset, const records::Frame& frame) {
  if (frame.type == RecordType::register_broker) register_broker(offset, frame);
  if (frame.type == RecordType::broker_registration_change) change_registration(offset, frame);
  if (frame.type == RecordType::unregister_broker) {
    const auto record = records::decode_body<records::UnregisterBrokerRecord>(frame, arena_);
    const Broker* known = record ? broker(record->broker_id) : nullptr;
    if (known == nullptr || known->epoch != record->broker_epoch) return fail("P8: unregisters who is not there");
    brokers_.erase(record->broker_id);
  }
}

void BrokerView::register_broker(Offset offset, const records::Frame& frame) {
  const auto record = records::decode_body<records::RegisterBrokerRecord>(frame, arena_);
  if (!record) return fail("a RegisterBrokerRecord that cannot be read");
  const Broker* known = broker(record->broker_id);
  const bool amended = known != nullptr && known->incarnation == record->incarnation_id;
  BrokerEpoch& highest = highest_epochs_.try_emplace(record->broker_id, BrokerEpoch{-1}).first->second;
  if (!in_snapshot_ && record->broker_epoch.value > offset.value) fail("C8: the epoch of " + text(record->broker_id) + " is ahead");
  if (!in_snapshot_ && (amended ? record->broker_epoch != known->epoch : record->broker_epoch <= highest)) {
    fail("C8: the epoch of " + text(record->broker_id) + " does not rise");
  }
  highest = std::max(highest, record->broker_epoch);
  const Offset unfenced_at = amended ? known->unfenced_at : record->fenced ? no_offset : offset;
  brokers_[record->broker_id] = {.epoch = record->broker_epoch,
                                 .incarnation = record->incarnation_id,
                                 .fenced = record->fenced,
                                 .shutting_down = record->in_controlled_shutdown,
                                 .registered_at = offset,
                                 .unfenced_at = unfenced_at};
}

void BrokerView::change_registration(Offset offset, const records::Frame& frame) {
  const auto record = records::decode_body<records::BrokerRegistrationChangeRecord>(frame, arena_);
  if (!record) return fail("a BrokerRegistrationChangeRecord that cannot be read");
  const auto found = brokers_.find(record->broker_id);
  if (found == brokers_.end() || found->second.epoch != record->broker_epoch) {
    return fail("P8: changes " + text(record->broker_id) + " with an epoch it does not have");
  }
  if (record->fenced != 0) found->second.fenced = record->fenced > 0;
  if (record->fenced > 0) ++fences_;
  if (record->fenced < 0) found->second.unfenced_at = offset;
  if (record->in_controlled_shutdown > 0) found->second.shutting_down = true;
}

void BrokerView::apply_partition_record(const records::Frame& frame) {
  if (frame.type == RecordType::partition_change) change_partition(frame);
  if (frame.type == RecordType::partition) {
    const auto record = records::decode_body<records::PartitionRecord>(frame, arena_);
    if (!record) return fail("a PartitionRecord that cannot be read");
    const PartitionKey key{record->topic_id, record->partition_id};
    Partition& partition = partitions_[key];
    partition = {to_vector(record->replicas), to_vector(record->isr), record->leader, record->leader_epoch,
                 record->partition_epoch};
    note_leader(key, partition);
  }
  if (frame.type == RecordType::remove_topic) {
    const auto record = records::decode_body<records::RemoveTopicRecord>(frame, arena_);
    if (!record) return fail("a RemoveTopicRecord that cannot be read");
    std::erase_if(partitions_, [&](const auto& item) { return item.first.topic == record->topic_id; });
  }
}

void BrokerView::change_partition(const records::Frame& frame) {
  const auto record = records::decode_body<records::PartitionChangeRecord>(frame, arena_);
  if (!record) return fail("a PartitionChangeRecord that cannot be read");
  const PartitionKey key{record->topic_id, record->partition_id};
  const auto found = partitions_.find(key);
  if (found == partitions_.end()) return fail("P8: changes a partition that is not there");
  Partition& partition = found->second;
  if (!record->replicas.is_null()) partition.replicas = to_vector(record->replicas);
  if (!record->isr.is_null()) partition.isr = to_vector(record->isr);
  partition.partition_epoch = PartitionEpoch{partition.partition_epoch.value + 1};
  if (record->leader != NodeId{-2}) {
    partition.leader = record->leader;
    partition.leader_epoch = LeaderEpoch{partition.leader_epoch.value + 1};
  }
  note_leader(key, partition);
}

// C5: one leader for a leader epoch, ever. C4: it is neither fenced nor shutting down when it is elected.
void BrokerView::note_leader(const PartitionKey& key, const Partition& partition) {
  const auto [found, fresh] = leaders_.try_emplace({key, partition.leader_epoch}, partition.leader);
  if (found->second != partition.leader) fail("C5: two leaders for one leader epoch");
  if (in_snapshot_ || !fresh || partition.leader == no_node) return;
  const Broker* leader = broker(partition.leader);
  if (leader == nullptr || !leader->may_join()) fail("C4: " + text(partition.leader) + " may not lead");
}

}  // namespace hayward::sim

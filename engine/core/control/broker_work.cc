// See broker_work.h.
#include "engine/core/control/broker_work.h"

#include "engine/core/control/broker_transitions.h"
#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"

namespace hayward::core {

void BrokerWork::add(BrokerWorkKind kind, BrokerIncarnation broker) {
  if (kind == BrokerWorkKind::none) return;
  if (kind == BrokerWorkKind::elect) {
    electing_.insert(broker.id);
    elect_from_ = 0;
    return;
  }
  const auto [at, is_new] = leaving_.try_emplace(broker.id, Leaving{broker.epoch, kind});
  if (!is_new && at->second.epoch == broker.epoch && at->second.kind >= kind) return;
  at->second = {broker.epoch, kind};
  leave_from_ = 0;  // what has been passed holds partitions of the new one; the others have left it already
  note_marks();
}

void BrokerWork::lose_directories(BrokerIncarnation broker, std::span<const DirectoryId> directories) {
  if (directories.empty()) return;
  Losing& losing = losing_[broker.id];
  if (losing.epoch != broker.epoch) losing = {broker.epoch, {}, 0};
  losing.directories.insert(losing.directories.end(), directories.begin(), directories.end());
  std::ranges::sort(losing.directories);
  const auto repeated = std::ranges::unique(losing.directories);
  losing.directories.erase(repeated.begin(), repeated.end());
  losing.from = 0;
  note_marks();
}

void BrokerWork::clear() { *this = {}; }

void BrokerWork::note_marks() {
  ineligible_.clear();
  for (const auto& [id, leaving] : leaving_) {
    if (leaving.kind != BrokerWorkKind::clean_up) ineligible_.push_back(id);
  }
  lost_directories_.clear();
  for (const auto& [id, losing] : losing_) {
    for (const DirectoryId directory : losing.directories) lost_directories_.push_back({id, directory});
  }
}

void BrokerWork::forget_settled(const Cluster& cluster) {
  if (idle()) return;
  const auto epoch_of = [&](NodeId id) {
    const BrokerRegistration* broker = cluster.broker(id);
    return broker == nullptr ? no_broker_epoch : broker->epoch;
  };
  std::erase_if(leaving_, [&](const auto& entry) {
    const auto& [id, leaving] = entry;
    if (epoch_of(id) != leaving.epoch) return true;
    return leaving.kind == BrokerWorkKind::clean_up && !cluster.broker(id)->fenced;
  });
  std::erase_if(losing_, [&](const auto& entry) { return epoch_of(entry.first) != entry.second.epoch; });
  note_marks();
  std::erase_if(electing_, [&](NodeId id) { return !cluster.is_active(id) || leaving_.contains(id); });
}

BrokerWork::Done BrokerWork::slice(const HandlerContext& context, std::size_t max_partitions, RecordList& records) {
  forget_settled(context.image.cluster());
  if (!leaving_.empty()) return leave(context, max_partitions, records);
  if (!losing_.empty()) return move_away(context, max_partitions, records);
  if (!electing_.empty()) elect(context, max_partitions, records);
  else if (reassigning_) reassign(context, max_partitions, records);
  return {};
}

BrokerWork::Done BrokerWork::leave(const HandlerContext& context, std::size_t max_partitions, RecordList& records) {
  std::vector<NodeId> ids, unclean;
  for (const auto& [id, leaving] : leaving_) {
    (leaving.kind == BrokerWorkKind::lose ? unclean : ids).push_back(id);
  }
  PartitionChanges changes(context, records);
  const BrokerTransitions transitions{.leaving = ids, .unclean = unclean};
  if (const auto next = generate_leader_and_isr_updates(transitions, leave_from_, max_partitions, changes)) {
    leave_from_ = *next;
    return {};
  }
  Done done;
  for (const auto& [id, leaving] : leaving_) {
    const BrokerIncarnation broker{id, leaving.epoch};
    if (leaving.kind == BrokerWorkKind::fence) add_fence_record(broker, records);
    if (leaving.kind == BrokerWorkKind::drain) done.drained.push_back(broker);
    if (leaving.kind != BrokerWorkKind::unregister) continue;
    add_unregister_record(broker, records);
    done.unregistered.push_back(broker);
  }
  done.registrations = true;
  leaving_.clear();
  note_marks();
  return done;
}

BrokerWork::Done BrokerWork::move_away(const HandlerContext& context, std::size_t max_partitions,
                                       RecordList& records) {
  const auto at = losing_.begin();
  auto& [id, losing] = *at;
  PartitionChanges changes(context, records);
  const auto next = generate_offline_directory_updates(id, losing.directories, losing.from, max_partitions, changes);
  if (next) {
    losing.from = *next;
    return {};
  }
  add_lost_directories(context, *context.image.cluster().broker(id), losing.directories, records);
  losing_.erase(at);
  note_marks();
  Done done;
  done.registrations = true;
  return done;
}

void BrokerWork::elect(const HandlerContext& context, std::size_t max_partitions, RecordList& records) {
  const std::vector<NodeId> ids(electing_.begin(), electing_.end());
  PartitionChanges changes(context, records);
  if (const auto next = generate_leader_and_isr_updates({.joining = ids}, elect_from_, max_partitions, changes))
    elect_from_ = *next;
  else
    electing_.clear();
}

void BrokerWork::reassign(const HandlerContext& context, std::size_t max_partitions, RecordList& records) {
  PartitionChanges changes(context, records);
  const auto next = core::finish_reassignments(reassign_from_, max_partitions, changes);
  reassigning_ = next.has_value();
  reassign_from_ = next.value_or(0);
}

}  // namespace hayward::core

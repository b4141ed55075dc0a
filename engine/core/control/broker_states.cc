// See broker_states.h.
#include "engine/core/control/broker_states.h"

#include <algorithm>
#include <string>

#include "engine/core/image/cluster.h"

namespace hayward::core {

void BrokerStates::activate(const Cluster& cluster, Epoch controller_epoch, MonoTime now, Effects& out) {
  controller_epoch_ = controller_epoch;
  states_.clear();
  out.push_back(ResetLeases{controller_epoch});
  for (const auto& [id, registration] : cluster.brokers()) {
    if (registration.fenced) continue;
    states_[id] = {.epoch = registration.epoch, .leased = true, .last_contact = now};
    out.push_back(GrantLease{{id, registration.epoch}, no_offset, now});
  }
}

void BrokerStates::deactivate(Effects& out) {
  controller_epoch_ = Epoch{-1};
  states_.clear();
  out.push_back(ResetLeases{controller_epoch_});
}

BrokerState BrokerStates::of(BrokerIncarnation broker) const {
  const auto found = states_.find(broker.id);
  if (found != states_.end() && found->second.epoch == broker.epoch) return found->second;
  return {.epoch = broker.epoch};
}

Offset BrokerStates::lowest_active_offset(const Cluster& cluster) const {
  Offset lowest{INT64_MAX};
  for (const auto& [id, registration] : cluster.brokers()) {
    if (registration.active()) lowest = std::min(lowest, of({id, registration.epoch}).metadata_offset);
  }
  return lowest;
}

void BrokerStates::apply(const BrokerStateUpdate& update, Effects& out) {
  BrokerState& state = states_[update.broker.id];
  if (state.epoch != update.broker.epoch) state = {.epoch = update.broker.epoch};
  if (update.ignored) {
    if (++state.ignored_heartbeats > 1) return;
    out.push_back(LogLine{LogLine::Level::warn,
                          "broker " + std::to_string(update.broker.id.value) + " epoch " +
                              std::to_string(update.broker.epoch.value) +
                              ": a heartbeat with a metadata offset below the one it reported before is ignored"});
    return;
  }
  state.metadata_offset = std::max(state.metadata_offset, update.metadata_offset);
  state.shutdown_offset = update.shutdown_offset;
  state.last_contact = std::max(state.last_contact, update.arrival);
  if (state.leased || !update.may_lease) return;
  state.leased = true;
  out.push_back(GrantLease{update.broker, state.metadata_offset, update.arrival});
}

void BrokerStates::drained(BrokerIncarnation broker, Offset offset) {
  BrokerState& state = states_[broker.id];
  if (state.epoch != broker.epoch) state = {.epoch = broker.epoch};
  if (!state.in_controlled_shutdown()) state.shutdown_offset = offset;
}

void BrokerStates::forget(NodeId broker, Effects& out) {
  const auto found = states_.find(broker);
  if (found == states_.end()) return;
  if (found->second.leased) out.push_back(DropLease{broker});
  states_.erase(found);
}

void BrokerStates::note_contacts(const BrokerContacts& mail) {
  if (mail.controller_epoch != controller_epoch_) return;
  for (const BrokerContact& contact : mail.brokers) {
    const auto found = states_.find(contact.broker.id);
    if (found == states_.end() || found->second.epoch != contact.broker.epoch || !found->second.leased) continue;
    BrokerState& state = found->second;
    state.metadata_offset = std::max(state.metadata_offset, contact.metadata_offset);
    state.last_contact = std::max(state.last_contact, contact.last_contact);
  }
}

std::vector<BrokerIncarnation> BrokerStates::take_expired(const LeasesExpired& mail) {
  std::vector<BrokerIncarnation> expired;
  if (mail.controller_epoch != controller_epoch_) return expired;
  for (const BrokerIncarnation& broker : mail.brokers) {
    const auto found = states_.find(broker.id);
    if (found == states_.end() || found->second.epoch != broker.epoch || !found->second.leased) continue;
    found->second.leased = false;
    found->second.shutdown_offset = no_offset;  // a fenced broker is in no controlled shutdown
    expired.push_back(broker);
  }
  return expired;
}

}  // namespace hayward::core

// See lease_table.h. A renewal writes the entry's deadline and leaves the wheel alone; an entry that
// comes up before its deadline is scheduled anew. So each lease costs the wheel about one visit a session.
#include "engine/core/lease/lease_table.h"

#include <algorithm>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

constexpr std::int64_t min_tick_ns = 1'000'000;
constexpr std::int64_t max_tick_ns = 10'000'000;

// A session must fit the wheel's reach of 1023 ticks with room to spare; for sessions above 10 s the
// deadline lies beyond it and the entry comes up on the way, which costs a visit and nothing else.
std::int64_t tick_for(std::int64_t session_ns) { return std::clamp(session_ns / 256, min_tick_ns, max_tick_ns); }

}  // namespace

LeaseTable::LeaseTable(std::int64_t session_timeout_ns, MonoTime now)
    : session_ns_(session_timeout_ns), last_turn_(now), wheel_(tick_for(session_timeout_ns), now), visitors_(visitor_places) {
  HAYWARD_ASSERT(session_timeout_ns > 0, "broker.session.timeout.ms is positive");
}

LeaseTable::Touch LeaseTable::touch(BrokerIncarnation broker, Offset metadata_offset, Offset log_end, MonoTime arrival) {
  const auto found = by_id_.find(broker.id);
  if (found == by_id_.end() || entries_[found->second].lease.broker.epoch != broker.epoch) {  // L5
    note_visitor(broker, metadata_offset, log_end, arrival);
    return Touch::no_lease;
  }
  Entry& entry = entries_[found->second];
  if (metadata_offset < entry.lease.offset) {
    ++ignored_heartbeats_;
    return Touch::lower_offset;
  }
  if (metadata_offset < log_end) entry.lease.offset = metadata_offset;
  entry.lease.last_contact = std::max(entry.lease.last_contact, arrival);
  entry.deadline = std::max(entry.deadline, unstalled(arrival) + session_ns_);
  if (!std::exchange(entry.news, true)) news_.push_back(found->second);
  return Touch::renewed;
}

void LeaseTable::reset(Epoch controller_epoch) {
  for (Visitor& visitor : visitors_) visitor.recorded = no_offset;
  for (std::uint32_t index = 0; index < entries_.size(); ++index) keep_as_visitor(index);
  entries_.clear();
  free_.clear();
  by_id_.clear();
  wheel_.clear();
  news_.clear();
  controller_epoch_ = controller_epoch;
}

// Its last heartbeats may wait before the controller.
void LeaseTable::keep_as_visitor(std::uint32_t index) {
  const auto& [lease, deadline, news] = entries_[index];
  const auto found = by_id_.find(lease.broker.id);
  if (found == by_id_.end() || found->second != index) return;  // free
  Visitor& visitor = visitors_[visitor_place(lease.broker.id)];
  if (visitor.broker.id == lease.broker.id && lease.broker.epoch < visitor.broker.epoch) return;
  visitor = {.broker = lease.broker,
             .offset = lease.offset,
             .recorded = no_offset,
             .arrival = lease.last_contact,
             .unstalled_arrival = deadline + -session_ns_};
}

void LeaseTable::note_visitor(BrokerIncarnation broker, Offset metadata_offset, Offset log_end, MonoTime arrival) {
  Visitor& visitor = visitors_[visitor_place(broker.id)];
  if (visitor.broker.id == broker.id && broker.epoch < visitor.broker.epoch) return;
  if (visitor.broker != broker) visitor = {.broker = broker};
  if (metadata_offset < visitor.recorded) return;  // KIP-631's rule
  visitor.offset = metadata_offset;
  if (metadata_offset < log_end) visitor.recorded = metadata_offset;
  visitor.arrival = std::max(arrival, visitor.arrival);
  visitor.unstalled_arrival = std::max(unstalled(arrival), visitor.unstalled_arrival);
}

const LeaseTable::Visitor* LeaseTable::find_visitor(BrokerIncarnation broker, Offset recorded) const {
  const Visitor& visitor = visitors_[visitor_place(broker.id)];
  return visitor.broker == broker && visitor.offset >= recorded ? &visitor : nullptr;
}

void LeaseTable::grant(BrokerIncarnation broker, Offset recorded, MonoTime from) {
  MonoTime deadline = unstalled(from) + session_ns_;
  if (const Visitor* visitor = find_visitor(broker, recorded)) {
    from = std::max(from, visitor->arrival);
    deadline = std::max(deadline, visitor->unstalled_arrival + session_ns_);
  }
  const auto found = by_id_.find(broker.id);
  if (found != by_id_.end()) {
    Entry& entry = entries_[found->second];
    if (entry.lease.broker.epoch == broker.epoch) {
      entry.lease.offset = std::max(entry.lease.offset, recorded);
      entry.lease.last_contact = std::max(entry.lease.last_contact, from);
      entry.deadline = std::max(entry.deadline, deadline);
      return;
    }
    remove(found->second);
  }
  const std::uint32_t index = insert(broker);
  Entry& entry = entries_[index];
  entry.lease = {.broker = broker, .last_contact = from, .offset = recorded};
  entry.deadline = deadline;
  wheel_.schedule(index, deadline);
}

void LeaseTable::drop(NodeId broker) {
  const auto found = by_id_.find(broker);
  if (found == by_id_.end()) return;
  remove(found->second);
}

std::int64_t LeaseTable::observe(MonoTime now) {
  const std::int64_t gap_ns = now - last_turn_;
  last_turn_ = std::max(last_turn_, now);
  shifted_this_turn_ = false;
  if (gap_ns <= session_ns_ / 4 || by_id_.empty()) return 0;
  stall_began_ = now + -gap_ns;
  stall_ns_ = gap_ns;
  shifted_ns_ += gap_ns;
  shifted_this_turn_ = true;
  return gap_ns;
}

std::optional<LeasesExpired> LeaseTable::expire(MonoTime now) {
  if (shifted_this_turn_) return std::nullopt;
  const MonoTime unstalled_now = unstalled(now);
  due_.clear();
  wheel_.advance(unstalled_now, due_);
  last_expired_.clear();
  for (const std::uint32_t index : due_) {
    const Entry& entry = entries_[index];
    if (entry.deadline >= unstalled_now) {
      wheel_.schedule(index, entry.deadline);
      continue;
    }
    HAYWARD_ASSERT(now - entry.lease.last_contact > session_ns_, "L1: a lease ran out early");
    last_expired_.push_back(entry.lease);
    remove(index);
  }
  if (last_expired_.empty()) return std::nullopt;
  std::ranges::sort(last_expired_, {}, &Lease::broker);
  LeasesExpired expired{.controller_epoch = controller_epoch_, .brokers = {}};
  for (const Lease& lease : last_expired_) expired.brokers.push_back(lease.broker);
  return expired;
}

// An index whose lease has gone stays in news_, with its mark: it tells nothing, or of the lease that took its place.
std::optional<BrokerContacts> LeaseTable::take_contacts() {
  if (news_.empty()) return std::nullopt;
  BrokerContacts contacts{.controller_epoch = controller_epoch_, .brokers = {}};
  contacts.brokers.reserve(news_.size());
  for (const std::uint32_t index : news_) {
    Entry& entry = entries_[index];
    entry.news = false;
    const Lease& lease = entry.lease;
    if (by_id_.contains(lease.broker.id)) {
      contacts.brokers.push_back({lease.broker, lease.last_contact, lease.offset});
    }
  }
  news_.clear();
  return contacts;
}

MonoTime LeaseTable::next_wake() const {
  if (by_id_.empty()) return mono_never;
  const MonoTime next_due = wheel_.next_due();
  HAYWARD_ASSERT(next_due != mono_never, "L2: every lease is on the wheel");
  return std::min(next_due + shifted_ns_, last_turn_ + session_ns_ / 8);
}

bool LeaseTable::counts(BrokerIncarnation broker, Offset metadata_offset) const {
  const auto found = by_id_.find(broker.id);
  if (found == by_id_.end()) return false;
  const Lease& lease = entries_[found->second].lease;
  return lease.broker == broker && metadata_offset >= lease.offset;
}

std::optional<LeaseTable::Lease> LeaseTable::find(NodeId broker) const {
  const auto found = by_id_.find(broker);
  if (found == by_id_.end()) return std::nullopt;
  return entries_[found->second].lease;
}

std::uint32_t LeaseTable::insert(BrokerIncarnation broker) {
  std::uint32_t index = static_cast<std::uint32_t>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
    news_.reserve(entries_.capacity());
  } else {
    index = free_.back();
    free_.pop_back();
  }
  by_id_.emplace(broker.id, index);
  return index;
}

void LeaseTable::remove(std::uint32_t index) {
  wheel_.cancel(index);
  by_id_.erase(entries_[index].lease.broker.id);
  free_.push_back(index);
}

}  // namespace hayward::core

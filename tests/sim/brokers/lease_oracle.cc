// See lease_oracle.h.
#include "lease_oracle.h"

#include <algorithm>

namespace hayward::sim {
namespace {

// Slices wait for a slow disk, and for a process that stands still.
constexpr std::int64_t longest_fencing_ns = 60'000'000'000;

}  // namespace

std::string LeaseOracle::text(const Incarnation& broker) {
  return "broker " + std::to_string(broker.id.value) + " epoch " + std::to_string(broker.epoch.value);
}

void LeaseOracle::fail(std::string what) {
  if (!violation_) violation_ = std::move(what);
}

std::optional<std::string> LeaseOracle::violation() const {
  if (violation_) return violation_;
  if (appended_.violation()) return "appended log, " + *appended_.violation();
  if (committed_.violation()) return "committed log, " + *committed_.violation();
  return std::nullopt;
}

void LeaseOracle::crashed(const std::vector<Bytes>& survives, Offset snapshot_end) {
  active_ = false;
  snapshot_end_ = snapshot_end;
  contacts_.clear();
  early_.clear();
  fencing_.clear();
  appended_.reset();
  for (const Bytes batch : survives) appended_.apply(batch);
}

void LeaseOracle::activated(std::int64_t now_ns, const std::vector<Incarnation>& granted) {
  active_ = true;
  ++activations;
  std::set<Incarnation> once(granted.begin(), granted.end());
  if (once.size() != granted.size()) fail("L3: two leases at activation for one broker");
  for (const auto& [id, broker] : appended_.brokers()) {
    const Incarnation incarnation{id, broker.epoch};
    if (broker.fenced) {
      if (once.contains(incarnation)) fail("L3: a lease at activation for the fenced " + text(incarnation));
      continue;
    }
    if (!once.contains(incarnation)) fail("L3: no lease at activation for the unfenced " + text(incarnation));
    const std::size_t shard = shard_of_(id);
    contacts_[id] = {.epoch = broker.epoch, .shard = shard, .at_ns = now_ns, .stalled_ns = loops_[shard].stalled_ns, .leased = true};
  }
}

// The same rule as the controller's, by our own count: after a gap of more than a quarter of a session it
// is not the brokers who were silent.
void LeaseOracle::turn(std::size_t shard, std::int64_t now_ns, std::int64_t stall_ns) {
  Loop& loop = loops_[shard];
  const std::int64_t gap_ns = now_ns - loop.last_turn_ns;
  if (stall_ns != 0 && (stall_ns != gap_ns || gap_ns <= session_ns_ / 4)) fail("L4: a shift by what was no stall");
  loop.last_turn_ns = now_ns;
  loop.stalled_ns += stall_ns;
  if (stall_ns == 0) return;
  ++stalls;
  for (auto& [id, contact] : contacts_) {
    if (contact.shard != shard || contact.at_ns <= now_ns - gap_ns) continue;
    contact.stalled_ns = loop.stalled_ns;  // not owed to it, but it may be given
    contact.grace_ns = now_ns - contact.at_ns;
  }
}

void LeaseOracle::arrived(std::size_t shard, Heartbeat& heartbeat, Offset log_end, std::int64_t now_ns) {
  heartbeat.at_ns = now_ns;
  heartbeat.recordable = heartbeat.offset < log_end;
  if (!active_) return arrived_early(heartbeat);
  const auto* broker = appended_.broker(heartbeat.broker.id);
  if (broker == nullptr || broker->epoch != heartbeat.broker.epoch) {
    ++foreign;  // L5: counts for nothing
    return;
  }
  const std::size_t owner = shard_of_(heartbeat.broker.id);
  if (shard != owner) ++elsewhere;
  Contact& contact = contacts_[heartbeat.broker.id];
  if (contact.epoch != heartbeat.broker.epoch) contact = {.epoch = heartbeat.broker.epoch, .shard = owner};
  if (heartbeat.offset < contact.recorded) {
    ++ignored;
    return;
  }
  if (heartbeat.offset < log_end) contact.recorded = heartbeat.offset;
  contact.at_ns = now_ns;
  contact.stalled_ns = loops_[owner].stalled_ns;
  contact.grace_ns = 0;
  heartbeat.counts = true;  // towards the next lease, if the end of this one is in the mail already
}

// It counts once one of this incarnation's is taken up by the active controller.
void LeaseOracle::arrived_early(const Heartbeat& heartbeat) {
  Early& early = early_[heartbeat.broker];
  if (heartbeat.offset < early.recorded) return;
  if (heartbeat.recordable) early.recorded = heartbeat.offset;
  early.offset = heartbeat.offset;
  early.at_ns = heartbeat.at_ns;
  early.stalled_ns = loops_[shard_of_(heartbeat.broker.id)].stalled_ns;
}

// It came before the controller was active, or its broker's registration was written, and is taken up after.
void LeaseOracle::note_early(Heartbeat& heartbeat) {
  const auto* broker = appended_.broker(heartbeat.broker.id);
  if (heartbeat.counts || !active_ || broker == nullptr || broker->epoch != heartbeat.broker.epoch) return;
  Contact& contact = contacts_[heartbeat.broker.id];
  if (contact.epoch == heartbeat.broker.epoch) return;
  const std::size_t shard = shard_of_(heartbeat.broker.id);
  contact = {.epoch = heartbeat.broker.epoch, .shard = shard, .at_ns = heartbeat.at_ns, .stalled_ns = loops_[shard].stalled_ns};
  if (const auto early = early_.find(heartbeat.broker); early != early_.end() && early->second.offset >= heartbeat.offset) {
    contact.at_ns = std::max(contact.at_ns, early->second.at_ns);
    contact.stalled_ns = std::min(contact.stalled_ns, early->second.stalled_ns);
  }
  if (heartbeat.recordable) contact.recorded = heartbeat.offset;
  heartbeat.counts = true;
}

void LeaseOracle::handled(Heartbeat& heartbeat) {
  note_early(heartbeat);
  const auto contact = contacts_.find(heartbeat.broker.id);
  if (!heartbeat.counts || contact == contacts_.end() || contact->second.epoch != heartbeat.broker.epoch) return;
  const auto* broker = appended_.broker(heartbeat.broker.id);
  if (broker == nullptr || broker->epoch != heartbeat.broker.epoch || being_fenced(heartbeat.broker)) return;
  contact->second.leased = true;
  const bool caught_up = heartbeat.offset >= broker->registered_at && heartbeat.offset.value >= snapshot_end_.value - 1;
  Offset& recorded = contact->second.recorded_by_node;
  const bool overtaken = heartbeat.offset < recorded;  // ignored under the offset rule
  if (heartbeat.recordable && !overtaken) recorded = heartbeat.offset;
  // The wish to shut down stands until it is granted, whatever an older heartbeat says that comes behind it.
  const bool is_shutting_down = broker->shutting_down && !broker->fenced;
  heartbeat.wanted_out = caught_up && !overtaken && !is_shutting_down && !heartbeat.want_fence && !heartbeat.want_shut_down;
}

void LeaseOracle::contact_handled(const Incarnation& broker, Offset recorded) {
  const auto contact = contacts_.find(broker.id);
  if (contact == contacts_.end() || contact->second.epoch != broker.epoch) return;
  contact->second.recorded_by_node = std::max(contact->second.recorded_by_node, recorded);
}

void LeaseOracle::mailed(const std::vector<Incarnation>& brokers, std::int64_t now_ns) {
  for (const Incarnation& broker : brokers) {
    const auto contact = contacts_.find(broker.id);
    if (contact == contacts_.end() || contact->second.epoch != broker.epoch) continue;
    contact->second.mailed = true;
    contact->second.passed_on = false;
    contact->second.mailed_ns = now_ns;
    contact->second.silence_ns = silent_ns(contact->second, now_ns);
  }
}

// L1 over all shards: what had arrived anywhere when the expiry was mailed counts. (What its owner hears later counts
// towards the next lease.)
void LeaseOracle::expired(const std::vector<Incarnation>& brokers) {
  for (const Incarnation& broker : brokers) {
    ++expiries;
    const auto contact = contacts_.find(broker.id);
    if (contact == contacts_.end() || contact->second.epoch != broker.epoch) {
      fail("L9: an expiry of " + text(broker) + ", who has no lease");
      continue;
    }
    if (!contact->second.mailed || contact->second.silence_ns <= session_ns_) {
      fail("L1: the lease of " + text(broker) + " ran out early");
    }
    contact->second.passed_on = true;
  }
}

void LeaseOracle::expiry_handled(const std::vector<Incarnation>& brokers) {
  for (const Incarnation& broker : brokers) {
    const auto contact = contacts_.find(broker.id);
    if (contact != contacts_.end() && contact->second.epoch == broker.epoch) {
      contact->second.leased = false;
      contact->second.mailed = false;
    }
    const auto* known = appended_.broker(broker.id);
    if (known == nullptr || known->epoch != broker.epoch || known->fenced) continue;
    ++in_slices;
    fencing_[broker.id] = {broker.epoch, loops_[0].last_turn_ns};
  }
}

bool LeaseOracle::being_fenced(const Incarnation& broker) const {
  const auto found = fencing_.find(broker.id);
  return found != fencing_.end() && found->second.epoch == broker.epoch;
}

// L7 is seen from here: a new incarnation took the place of one that held a lease.
void LeaseOracle::appended(Bytes batch, std::int64_t now_ns) {
  const auto before = appended_.brokers();
  appended_.apply(batch);
  std::erase_if(fencing_, [this](const auto& entry) {
    const auto* broker = appended_.broker(entry.first);
    return broker == nullptr || broker->epoch != entry.second.epoch || broker->fenced;
  });
  for (const auto& [id, old] : before) {
    const auto* now = appended_.broker(id);
    if (now == nullptr || now->incarnation == old.incarnation) continue;
    const auto contact = contacts_.find(id);
    if (contact == contacts_.end() || contact->second.epoch != old.epoch || !contact->second.leased) continue;
    if (silent_ns(contact->second, now_ns) <= session_ns_) {
      fail("L7: " + text({id, old.epoch}) + " was replaced while its lease lived");
    }
  }
}

// L10, and C12: nobody is told of an unfencing that is not committed.
void LeaseOracle::answered(const Heartbeat& heartbeat, ErrorCode error, bool is_fenced) {
  const auto* broker = committed_.broker(heartbeat.broker.id);
  if (error != ErrorCode::none || broker == nullptr || broker->epoch != heartbeat.broker.epoch) return;
  if (!is_fenced && broker->unfenced_at == no_offset) {
    fail("C12: " + text(heartbeat.broker) + " is told of an unfencing that is not committed");
  }
  if (is_fenced && heartbeat.wanted_out) {
    fail("L10: " + text(heartbeat.broker) + " is caught up, wants out, and is told that it is fenced");
  }
}

// A turn comes at the latest a quarter of a session after the one before, or it counts as a stall. As of the last turn of
// the shard that has the lease; an expiry that it mailed may be undone, or wait for what else has come in.
void LeaseOracle::check_not_late(std::int64_t now_ns) {
  if (!active_) return;
  for (const auto& [id, broker] : appended_.brokers()) {
    if (broker.fenced) continue;
    if (being_fenced({id, broker.epoch})) {
      if (now_ns - fencing_.at(id).since_ns > longest_fencing_ns) fail("L2: the fencing of " + text({id, broker.epoch}) + " does not end");
      continue;
    }
    const auto found = contacts_.find(id);
    if (found == contacts_.end() || found->second.epoch != broker.epoch) {
      fail("L3: no one waits for the unfenced " + text({id, broker.epoch}));
      continue;
    }
    Contact& contact = found->second;
    const std::int64_t as_of_ns = loops_[contact.shard].last_turn_ns;
    const std::int64_t slack_ns = session_ns_ / 4 + tick_ns_ + mail_ns_;
    if (contact.mailed && !contact.passed_on && as_of_ns - contact.mailed_ns > slack_ns) contact.mailed = false;  // undone
    if (!contact.mailed && silent_ns(contact, as_of_ns) > session_ns_ + contact.grace_ns + slack_ns) {
      fail("L2: " + text({id, broker.epoch}) + " is silent and not fenced");
    }
  }
}

}  // namespace hayward::sim

// The leases of one shard's brokers: who has been heard, until when, and who has run out. A machine of
// its own: it speaks with the controller by mail only. Orders come in as the effects ResetLeases,
// GrantLease and DropLease, what has run out goes out as the event LeasesExpired.
//
// The host's duties, once per turn of the shard's loop and in this order:
//   observe(now)    first of all: notices a stall of our own and shifts every deadline by it;
//   touch(...)      for each heartbeat, as it is reaped from the ring, before anything may queue (L1);
//   expire(now)     after everything that was waiting has been reaped; mail what it returns;
//   next_wake()     arm the shard's timer by it.
// Time is the monotonic clock alone (L8). Nothing here allocates but grant() and an expire() that finds something.
// Owner: the shard that owns the brokers. Any shard; today shard 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/event.h"
#include "engine/core/lease/timing_wheel.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class LeaseTable {
 public:
  // What a heartbeat did to the lease.
  enum class Touch : std::uint8_t {
    renewed,       // a full session from its arrival
    lower_offset,  // ignored under KIP-631's rule: its offset is below the recorded one
    no_lease,      // no lease of this broker epoch here: the controller decides (L5)
  };

  struct Lease {
    BrokerIncarnation broker;
    MonoTime last_contact;  // arrival of the newest renewal; the grant's time before the first
    Offset offset;          // the metadata offset recorded for this broker epoch; -1: none
  };

  // session_timeout_ns > 0: broker.session.timeout.ms. An expiry is seen at most one tick (1/256
  // session, at least 1 ms, at most 10 ms) after its deadline, provided the host keeps to next_wake().
  LeaseTable(std::int64_t session_timeout_ns, MonoTime now);

  // A heartbeat of `broker` with its CurrentMetadataOffset, reaped at `arrival`. `log_end` is the end
  // (exclusive) of the metadata log as this shard knows it: an offset at or above it renews, but is
  // not recorded. Never shortens a lease.
  Touch touch(BrokerIncarnation broker, Offset metadata_offset, Offset log_end, MonoTime arrival);

  // Forgets every lease. What expires from now on is told in the name of `controller_epoch` (L9). When heartbeats came
  // is not forgotten: they may wait before the controller, and count towards the next lease (L1).
  void reset(Epoch controller_epoch);

  // A full session from `from`, or from a later heartbeat of this very incarnation that has come meanwhile and
  // waits before the controller (L1: arrival counts); replaces any lease of the same broker id. `recorded` is the metadata
  // offset known for this broker epoch (-1: none). A lease of this very epoch that already runs longer
  // is not shortened, nor its recorded offset lowered.
  void grant(BrokerIncarnation broker, Offset recorded, MonoTime from);

  // No lease for this id any more; nothing is mailed for it.
  void drop(NodeId broker);

  // The shard's loop is alive at `now`. If more than a quarter of a session has passed since the last
  // call, it was we who slept: every deadline moves the gap further away, in O(1), also of those that arrived before it and
  // are told of only later; returns the gap in ns; else returns 0. next_wake() asks for a turn every eighth of a session,
  // so that a longer gap cannot be mere idleness. In the turn of a shift nothing expires: first the input that queued up
  // meanwhile is reaped (L4).
  std::int64_t observe(MonoTime now);

  // Leases whose deadline lies before `now`, ascending by id; removed, so told once and not again.
  // nullopt: none.
  std::optional<LeasesExpired> expire(MonoTime now);
  // The leases that the last expire() returned the brokers of, in the same order.
  const std::vector<Lease>& last_expired() const { return last_expired_; }

  // What has been renewed since the last call, in no particular order; nullopt: nothing.
  std::optional<BrokerContacts> take_contacts();

  // When the host must start a turn at the latest; mono_never without leases.
  MonoTime next_wake() const;

  // A heartbeat of `broker` with this offset renews a lease here now.
  bool counts(BrokerIncarnation broker, Offset metadata_offset) const;

  // For status. nullopt: no lease of this id.
  std::optional<Lease> find(NodeId broker) const;

  std::size_t size() const { return by_id_.size(); }
  std::int64_t stalled_ns() const { return shifted_ns_; }  // sum of all stalls
  std::uint64_t ignored_heartbeats() const { return ignored_heartbeats_; }
  std::int64_t tick_ns() const { return wheel_.tick_ns(); }

 private:
  // Deadlines and the wheel run on a clock that stands still while we stall, so that a shift is one
  // addition. What arrived (at another shard) before the last stall or during it is told of by mail after it.
  MonoTime unstalled(MonoTime t) const {
    return std::max(t + -shifted_ns_, std::min(t, stall_began_) + -(shifted_ns_ - stall_ns_));
  }

  void keep_as_visitor(std::uint32_t index);
  void note_visitor(BrokerIncarnation broker, Offset metadata_offset, Offset log_end, MonoTime arrival);
  struct Visitor;
  // Nullptr: none that counts.
  const Visitor* find_visitor(BrokerIncarnation broker, Offset recorded) const;
  std::uint32_t insert(BrokerIncarnation broker);
  void remove(std::uint32_t index);

  std::int64_t session_ns_;
  MonoTime last_turn_;
  std::int64_t shifted_ns_ = 0;  // sum of all stalls
  MonoTime stall_began_{};       // the last one
  std::int64_t stall_ns_ = 0;
  bool shifted_this_turn_ = false;
  Epoch controller_epoch_{0};
  std::uint64_t ignored_heartbeats_ = 0;

  struct Entry {
    Lease lease;
    MonoTime deadline;  // on the unstalled clock
    bool news = false;  // renewed since take_contacts(); then its index is in news_
  };
  std::vector<Entry> entries_;               // by index; free ones are in free_
  std::vector<std::uint32_t> free_;
  std::unordered_map<NodeId, std::uint32_t> by_id_;  // looked up, never walked
  TimingWheel wheel_;
  std::vector<std::uint32_t> due_;           // scratch of expire()
  std::vector<Lease> last_expired_;
  std::vector<std::uint32_t> news_;          // with room for every entry

  // Heartbeats without a lease: the last of each id, in a place that its id decides; an incarnation before the one
  // that is remembered changes nothing. Of two ids with one place only the later is remembered, which can cost
  // the other's lease the time that the controller was late.
  struct Visitor {
    BrokerIncarnation broker{no_node, BrokerEpoch{-1}};
    Offset offset = no_offset;    // as it said
    Offset recorded = no_offset;  // as KIP-631's rule counts: never beyond the log's end
    MonoTime arrival{};
    MonoTime unstalled_arrival{};  // stalls may come between it and the grant
  };
  static constexpr std::size_t visitor_places = 1024;
  static std::size_t visitor_place(NodeId id) { return static_cast<std::uint32_t>(id.value) % visitor_places; }
  std::vector<Visitor> visitors_;
};

}  // namespace hayward::core

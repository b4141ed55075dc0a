// What the active controller knows of brokers beyond the image: the metadata offset each reported last,
// where its controlled shutdown ends, and whether it holds a lease. None of it is in the log: it begins
// empty at activation and goes with it. Handlers read it; only the node changes it, by the methods below,
// right after the handler whose outcome they take. Leases live elsewhere (lease/lease_table.h): orders go
// out as effects, and a lease counts as living until its expiry has been mailed (L7).
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Cluster;

// Of one broker epoch.
struct BrokerState {
  BrokerEpoch epoch{-1};
  Offset metadata_offset = no_offset;  // recorded; never falls (KIP-631)
  Offset shutdown_offset = no_offset;  // last offset of what its controlled shutdown wrote; -1: not in one
  bool leased = false;
  MonoTime last_contact{};             // of the last heartbeat the controller has handled
  std::uint64_t ignored_heartbeats = 0;

  bool in_controlled_shutdown() const { return shutdown_offset != no_offset; }
};

// What a heartbeat changes here; broker_heartbeat decides, BrokerStates::apply carries out.
struct BrokerStateUpdate {
  BrokerIncarnation broker;
  MonoTime arrival;
  bool ignored = false;  // its metadata offset was below the recorded one: only counted
  Offset metadata_offset = no_offset;
  Offset shutdown_offset = no_offset;
  bool may_lease = true;  // false: it is being fenced because its lease ran out; the next one begins after that
};

class BrokerStates {
 public:
  // Begins empty with one fresh lease for every unfenced registration and none for fenced ones (L3).
  void activate(const Cluster& cluster, Epoch controller_epoch, MonoTime now, Effects& out);
  // Leadership is lost: everything goes, leases too (L9).
  void deactivate(Effects& out);

  // The state of this very incarnation; a default one if nothing is known yet.
  BrokerState of(BrokerIncarnation broker) const;
  bool has_lease(BrokerIncarnation broker) const { return of(broker).leased; }
  // The lowest recorded metadata offset among active brokers (registered, unfenced, not in controlled
  // shutdown), -1 for one that has not reported; INT64_MAX if none is active.
  Offset lowest_active_offset(const Cluster& cluster) const;

  // After broker_heartbeat: grants a lease if there is none, unless the heartbeat is ignored; the first
  // one ignored is logged.
  void apply(const BrokerStateUpdate& update, Effects& out);
  // All that its controlled shutdown writes ends below `offset` + 1; told once.
  void drained(BrokerIncarnation broker, Offset offset);
  // After a new incarnation was registered, or the broker unregistered: the old lease ends.
  void forget(NodeId broker, Effects& out);
  // What heartbeats told that were answered on their shard.
  void note_contacts(const BrokerContacts& mail);
  // The part of a mailed expiry that counts: leases granted in this activation and not replaced since.
  // They are over now; fence_brokers takes the result.
  std::vector<BrokerIncarnation> take_expired(const LeasesExpired& mail);

 private:
  Epoch controller_epoch_{-1};
  std::map<NodeId, BrokerState> states_;
};

}  // namespace hayward::core

// Judges the leases of one controller from outside: from the heartbeats that reach it, the turns of its loop,
// what it appends and what it tells. Invariants L1-L5, L7 and L10; it shares nothing with the engine.
// All times are nanoseconds of one clock.
// Owner: a test.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker_view.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::sim {

class LeaseOracle {
 public:
  struct Incarnation {
    NodeId id;
    BrokerEpoch epoch;
    friend auto operator<=>(const Incarnation&, const Incarnation&) = default;
  };
  struct Heartbeat {
    Incarnation broker;
    Offset offset;
    bool want_fence = false;
    bool want_shut_down = false;
    std::int64_t at_ns = 0;  // set by arrived(), and whether its offset could be recorded
    bool recordable = false;
    bool counts = false;     // set by arrived(): it renews a lease, or begins one
    bool wanted_out = false;  // set by handled(): it has read its registration, and nothing stands against it
  };

  // `tick_ns`: how late the controller's timer may be. With more than one shard `shard_of` tells where a broker's lease
  // lives, and mail between shards takes up to `mail_ns`.
  LeaseOracle(std::int64_t session_ns, std::int64_t tick_ns, std::size_t shards = 1, std::int64_t mail_ns = 0,
              std::function<std::size_t(NodeId)> shard_of = [](NodeId) { return std::size_t{0}; })
      : session_ns_(session_ns), tick_ns_(tick_ns), mail_ns_(mail_ns), shard_of_(std::move(shard_of)), loops_(shards) {}

  // The process is gone; what it appended and did not flush too: `survives` are the batches that are left. It
  // will begin with a snapshot that ends at `snapshot_end` (0: with none), and as a snapshot does not tell when a
  // broker registered, brokers then have to read as far as it.
  void crashed(const std::vector<Bytes>& survives, Offset snapshot_end);
  void activated(std::int64_t now_ns, const std::vector<Incarnation>& granted);
  // A turn of a shard's loop; it stood still for `stall_ns` before it (0: it did not).
  void turn(std::size_t shard, std::int64_t now_ns, std::int64_t stall_ns);
  // Reaped from the socket by that shard.
  void arrived(std::size_t shard, Heartbeat& heartbeat, Offset log_end, std::int64_t now_ns);
  // Taken up by the node.
  void handled(Heartbeat& heartbeat);
  // The node has been told what an owner shard has recorded.
  void contact_handled(const Incarnation& broker, Offset recorded);
  // Run out and mailed; then passed on to the node, unless they were heard of elsewhere in time.
  void mailed(const std::vector<Incarnation>& brokers, std::int64_t now_ns);
  void expired(const std::vector<Incarnation>& brokers);
  // The node has handled that expiry: the brokers are fenced now, or being fenced in slices.
  void expiry_handled(const std::vector<Incarnation>& brokers);
  void appended(Bytes batch, std::int64_t now_ns);
  void committed(Bytes batch) { committed_.apply(batch); }
  void answered(const Heartbeat& heartbeat, ErrorCode error, bool is_fenced);
  // The end of a turn: is anyone overdue?
  void check_not_late(std::int64_t now_ns);

  const BrokerView& appended_view() const { return appended_; }
  const BrokerView& committed_view() const { return committed_; }
  std::optional<std::string> violation() const;

  std::uint64_t expiries = 0;
  std::uint64_t stalls = 0;
  std::uint64_t ignored = 0;      // heartbeats under the offset rule
  std::uint64_t elsewhere = 0;    // heartbeats that reached another shard than their broker's
  std::uint64_t foreign = 0;      // heartbeats of an epoch that is not registered
  std::uint64_t activations = 0;
  std::uint64_t in_slices = 0;    // expiries whose fence took more than one event

 private:
  struct Contact {
    BrokerEpoch epoch{-1};
    std::size_t shard = 0;
    std::int64_t at_ns = 0;        // of the last heartbeat that counts, or the activation
    std::int64_t stalled_ns = 0;   // its shard's then
    std::int64_t grace_ns = 0;     // how much of a stall of its shard came after it, for it was heard elsewhere
    Offset recorded{-1};           // as they arrived, anywhere
    Offset recorded_by_node{-1};   // as it took them up: on several connections in another order
    bool mailed = false;           // its expiry is on the way to the node
    bool passed_on = false;        // it cannot be undone any more
    std::int64_t mailed_ns = 0;    // since when
    std::int64_t silence_ns = 0;   // how long it had been silent then
    bool leased = false;           // in the node's eyes
  };
  // How long it has been silent, our own stalls not counted.
  std::int64_t silent_ns(const Contact& contact, std::int64_t now_ns) const {
    return now_ns - contact.at_ns - (loops_[contact.shard].stalled_ns - contact.stalled_ns);
  }
  // Its expiry has been handled and its fence record not been written yet.
  bool being_fenced(const Incarnation& broker) const;
  void arrived_early(const Heartbeat& heartbeat);
  void note_early(Heartbeat& heartbeat);
  void fail(std::string what);
  static std::string text(const Incarnation& broker);

  std::int64_t session_ns_;
  std::int64_t tick_ns_;
  std::int64_t mail_ns_;
  std::function<std::size_t(NodeId)> shard_of_;
  struct Loop {
    std::int64_t stalled_ns = 0;
    std::int64_t last_turn_ns = 0;
    bool turned = false;
  };
  std::vector<Loop> loops_;  // by shard
  bool active_ = false;
  Offset snapshot_end_{0};
  std::map<NodeId, Contact> contacts_;
  struct Early {  // the last heartbeat of those that came before the controller was active
    Offset recorded{-1};
    Offset offset{-1};
    std::int64_t at_ns = 0;
    std::int64_t stalled_ns = 0;
  };
  std::map<Incarnation, Early> early_;
  struct Fencing {
    BrokerEpoch epoch;
    std::int64_t since_ns;
  };
  std::map<NodeId, Fencing> fencing_;
  BrokerView appended_;
  BrokerView committed_;
  std::optional<std::string> violation_;
};

}  // namespace hayward::sim

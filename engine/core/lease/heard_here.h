// Heartbeats that reached a shard which does not own their lease: on a connection that has not been handed over yet, or
// by a peer that speaks for many brokers. The owner is told by mail, and may have mailed the lease's end meanwhile; the
// controller's shard then holds the end against what it has heard itself (L1), and grants the lease again.
// Owner: the controller's shard. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class HeardHere {
 public:
  // No more brokers are remembered at once: the ids are a peer's word.
  static constexpr std::size_t most = 65536;

  explicit HeardHere(std::int64_t session_timeout_ms) : session_ns_(ms_to_ns(session_timeout_ms)) {}

  void heard(BrokerIncarnation broker, Offset metadata_offset, MonoTime arrival);
  // Takes out of `expired` those that were heard here within the last session; their leases are to be granted again.
  // `recorded`: the metadata offset of each lease as it ran out: a heartbeat below it does not count (KIP-631).
  std::vector<GrantLease> take_out(LeasesExpired& expired, const std::vector<Offset>& recorded, MonoTime now);

 private:
  struct Heard {
    BrokerEpoch epoch;
    Offset metadata_offset;
    MonoTime arrival;  // of the last with that offset or a higher one
  };
  void forget_old(MonoTime now);

  std::int64_t session_ns_;
  MonoTime cleaned_{};  // when the old ones were forgotten last
  std::map<NodeId, Heard> heard_;
};

}  // namespace hayward::core

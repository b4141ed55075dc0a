// What lease machines are told so that they can answer steady heartbeats without the controller: each broker's committed
// registration, withdrawn in the very step that decides a record about it and given again once that is committed; and
// signs of life of the controller. So a steady answer never tells of what may be undone (C12), nor contradicts what was
// committed before the heartbeat came.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Cluster;

class PublishedBrokers {
 public:
  // `life_ns`: how long a sign of life counts (controller.quorum.fetch.timeout.ms).
  explicit PublishedBrokers(std::int64_t life_ns) : life_ns_(life_ns) {}

  // Right after ResetLeases, which has withdrawn all: everybody is published once `log_end` is committed.
  void activate(const Cluster& cluster, Offset log_end);
  void deactivate();

  // After each step of the active controller: `changed` are the brokers whose registration it has changed, `leaving` (in
  // ascending order) those that are being fenced or drained, whose own record comes last: they stay withdrawn meanwhile.
  void update(const std::set<NodeId>& changed, std::span<const NodeId> leaving, const Cluster& cluster, Offset log_end,
              Offset high_watermark, MonoTime now, Effects& out);

 private:
  void withdraw(NodeId broker, Offset until, Effects& out);
  void publish_settled(std::span<const NodeId> leaving, const Cluster& cluster, Offset high_watermark, Effects& out);
  void show_life(Offset log_end, Offset high_watermark, MonoTime now, Effects& out);

  std::int64_t life_ns_;
  std::map<NodeId, Offset> unsettled_;  // withdrawn until what lies below that offset is committed
  Offset next_settled_{INT64_MAX};      // the lowest of these offsets
  Offset seen_high_watermark_ = no_offset;
  MonoTime shown_{INT64_MIN / 2};
};

}  // namespace hayward::core

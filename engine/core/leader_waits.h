// DescribeCluster while nobody leads: it waits a while for a leader to name. Kafka's AdminClient, told of a cluster without one,
// does not ask again for minutes: a tool that comes in the moment of a failover would end after its whole timeout.
// Owner: the node. Shard 0.
#pragma once

#include <map>
#include <memory>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/parked.h"
#include "engine/core/types.h"

namespace hayward::core {

struct NodeState;

class LeaderWaits {
 public:
  // At most one per connection.
  void park(const Request& request);
  void forget(ConnectionId connection) { requests_.erase(connection); }

  friend MonoTime poll_leader_waits(NodeState& node, const Time& now, Effects& out);

 private:
  std::map<ConnectionId, std::unique_ptr<KeptRequest>> requests_;
};

// Whether a request that arrived then is to wait: no leader is known to which tools could be sent, and it has not waited for long.
bool waits_for_leader(const NodeState& node, MonoTime arrival, MonoTime now);
// After each event: handles those anew that need not wait any more. When to look again.
MonoTime poll_leader_waits(NodeState& node, const Time& now, Effects& out);

}  // namespace hayward::core

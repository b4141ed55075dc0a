// Role: follows the leader of its epoch by fetching from it. A voter that gets nothing for the fetch timeout becomes
// prospective; so does, much sooner, one whose leader is seen to be gone. An observer goes on asking.
// Owner: raft/quorum.h. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/raft/replica_key.h"
#include "engine/core/types.h"

namespace hayward::core::raft {

struct Turn;

struct Follower {
  NodeId leader = no_node;
  std::vector<Endpoint> leader_endpoints;  // never empty
  std::optional<ReplicaKey> voted;         // in this epoch
  MonoTime fetch_deadline = mono_never;
  MonoTime early_election_at = mono_never;  // the leader is gone: not later than then
  bool fetched = false;                     // something came from this leader in this epoch
  bool leader_gone = false;                 // it refused our dial, or said that it resigns
  MonoTime voter_request_at{INT64_MIN};     // it asks for its own entry among the voters not before (voter_requests.h)
  bool has_updated = false;                 // the leader knows this voter's addresses (kraft.version 0)
  std::optional<SnapshotId> wanted_snapshot;  // what it has to load before it can fetch on

  // Hears from its leader, which is therefore not one to be voted out.
  bool in_touch(MonoTime now) const { return fetched && !leader_gone && now < fetch_deadline; }
};

// Fetches; when to look again.
MonoTime poll_follower(Turn& turn);
// The leader refused a dial: nobody listens there. The order of the voters, and a little chance, keeps them from
// standing all at once.
void leader_refused_dial(Turn& turn);

}  // namespace hayward::core::raft

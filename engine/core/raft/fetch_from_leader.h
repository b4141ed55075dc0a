// Fetch (1), the follower's side: asks the leader for what comes after its log, cuts what the leader has not, and learns
// what is committed.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include "engine/base/time.h"
#include "engine/core/event.h"
#include "engine/core/types.h"

namespace hayward::core::raft {

struct InFlight;
struct Turn;

// A follower's next Fetch, once all of its log is on stable storage (R11); when to look again.
MonoTime fetch_from_leader(Turn& turn);
// Asks one of the others, by chance, who leads; when to look again.
MonoTime ask_around(Turn& turn);
// The one of controller.quorum.bootstrap.servers that is asked as `peer`; nullptr: a node with an id.
const Endpoint* bootstrap_server(const Turn& turn, NodeId peer);
void fetch_answered(Turn& turn, const PeerReply& reply, const InFlight& request);

}  // namespace hayward::core::raft

// What the controller wants done: the second half of the contract (event.h is the first). The host
// carries them out in order. An answer that must wait for durability is held by the core (parked.h) and
// comes out as a Reply only once it may be sent, so no effect here waits for another, but for
// PersistQuorumState, whose completion comes back as an event before the core goes on.
// Owner: engine/core. Shard 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/batch.h"
#include "engine/base/time.h"
#include "engine/core/authorizer/access_rules.h"
#include "engine/core/types.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Append to the log; answered by Flushed. Batches come in offset order without gaps.
struct Append {
  BatchPtr batch;
};

// Write quorum-state durably; answered by QuorumStatePersisted{token}.
struct PersistQuorumState {
  QuorumState state;
  std::uint64_t token = 0;
};

// Cut the log's uncommitted suffix: everything from `end` on goes.
struct Truncate {
  Offset end;
};

// A complete answer: response header and body, without the length that precedes it on the wire.
struct Reply {
  ConnectionId connection;
  Buffer bytes;
  std::int32_t throttle_ms = 0;  // mute the connection for so long after sending
};

// A Fetch answer with records. The host reads whole batches from `from` (the one that holds it first)
// up to `to`, at most max_bytes but at least one batch, and sends `head`, the records' length, the
// records, `tail`. head ends right before the length of the records field (compact: Fetch v12 and up;
// else an int32).
struct ReplyWithRecords {
  ConnectionId connection;
  Buffer head;
  Buffer tail;
  Offset from;
  Offset to;
  std::int32_t max_bytes = 0;
  bool compact_length = true;
};

// A FetchSnapshot answer: as ReplyWithRecords, with raw bytes of the checkpoint file. The core knows
// the file's size from SnapshotWritten or the start-up state; the host reads.
struct ReplyWithSnapshotBytes {
  ConnectionId connection;
  Buffer head;
  Buffer tail;
  SnapshotId id;
  std::int64_t position = 0;
  std::int32_t length = 0;
};

// No answer: end the connection after what is being sent (Kafka closes on what it cannot parse).
struct CloseConnection {
  ConnectionId connection;
  std::string reason;
};

// A raft request to a peer; answered by PeerReply{token}. Fetch and FetchSnapshot go by a connection of their own,
// for they may wait long.
struct SendToPeer {
  NodeId peer;          // negative: a server of controller.quorum.bootstrap.servers, whose id is not known
  Endpoint endpoint;
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  std::uint64_t token = 0;
  Buffer body;
};

// Write these batches to a checkpoint, behind those before. One checkpoint at a time, one order for it at a time:
// the next comes after SnapshotChunkWritten, or, if this one ends it, SnapshotWritten.
struct WriteSnapshot {
  SnapshotId id;
  std::int64_t last_contained_wall_ms = 0;
  std::vector<Buffer> batches;
  bool begins = true;  // the first order of it; a part of an earlier one is given up
  bool ends = true;    // the last: now it is complete
};

// Write a piece of a snapshot that comes from the leader; answered by SnapshotPartWritten. Pieces come in order, one at a
// time; position 0 begins anew. After the last one all of the log is replaced: it begins and ends at the snapshot's end.
struct WriteSnapshotPart {
  SnapshotId id;
  std::int64_t position = 0;
  Buffer bytes;
  bool last = false;
  std::int64_t last_contained_wall_ms = 0;
};

// Wake the core by a Tick not later than `at`; replaces the one before.
struct ArmTimer {
  MonoTime at;
};

// Lease orders to the machines that own them (lease/lease_table.h).
struct ResetLeases {           // at activation and at its end: forget all; what expires later is told with this epoch
  Epoch controller_epoch;
};
struct GrantLease {            // a full session from `from`
  BrokerIncarnation broker;
  Offset recorded;             // the metadata offset known for this broker epoch; -1: none
  MonoTime from;
};
struct DropLease {
  NodeId broker;
};

// Who may do CLUSTER_ACTION from now on, for the ClusterAccess of every shard. Comes with the start, before any
// answer, and whenever it changes.
struct PublishClusterAccess {
  std::shared_ptr<const AccessRules> rules;
};

// What the lease machines may answer steady heartbeats from (lease/steady_heartbeats.h): a broker's registration, which
// is committed and about which nothing is decided. Stands until withdrawn or published anew.
struct PublishBroker {
  BrokerIncarnation broker;
  bool fenced = true;
  Offset caught_up_at;                                        // who has read as far has read its own registration
  std::vector<DirectoryId> log_dirs;                          // registered, and not offline
  std::optional<std::vector<DirectoryId>> cordoned_log_dirs;  // recorded
};
// A record about the broker has been decided: until it is published again its heartbeats are the controller's.
struct WithdrawBroker {
  NodeId broker;
};
// The controller commits what it writes. Steady heartbeats are answered while the last of these is younger than
// controller.quorum.fetch.timeout.ms.
struct SignOfLife {
  MonoTime at;
};

// What holds for all observers while this node leads an epoch with these voters.
struct LeaderFacts {
  NodeId id;  // this node
  Epoch epoch;
  std::string cluster_id;
  std::vector<Endpoint> endpoints;  // its own
  std::vector<NodeId> voters;       // ascending; they are no observers
  std::int32_t max_bytes = 0;       // of records in one answer
};
// What the shards may answer observers' fetches from (observers/observer_fetches.h), beside the batches themselves, which
// the host has seen as Appends. Comes whenever any of it changes, until the leadership is over.
struct PublishLog {
  std::shared_ptr<const LeaderFacts> leader;  // null: over
  Offset high_watermark = no_offset;          // only rises
  Offset log_start{0};
};

// One line for the operator's log.
struct LogLine {
  enum class Level : std::uint8_t { info, warn, error };
  Level level = Level::info;
  std::string text;
};

// The node cannot go on (a record that cannot be applied, say): log the line and end the process.
struct Fail {
  std::string reason;
};

// All parked answers are out: the process may end (after Stop).
struct Stopped {};

using Effect = std::variant<Append, PersistQuorumState, Truncate, Reply, ReplyWithRecords, ReplyWithSnapshotBytes,
                            CloseConnection, SendToPeer, WriteSnapshot, WriteSnapshotPart, ArmTimer, ResetLeases,
                            GrantLease, DropLease, PublishBroker, WithdrawBroker, SignOfLife, PublishClusterAccess,
                            PublishLog, LogLine, Fail, Stopped>;
using Effects = std::vector<Effect>;

}  // namespace hayward::core

// What the machine tells the controller: the first half of the contract between thought and machine
// (the other is effect.h). Plain structs; spans in an event are valid during that step only.
// Owner: engine/core. Shard 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/batch.h"
#include "engine/base/time.h"
#include "engine/core/types.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Time has passed; sent when the armed timer fires (ArmTimer) at the latest.
struct Tick {};

// One request frame, header already parsed. A connection has at most one request in the node at a
// time; its answer (or CloseConnection) frees it.
struct Request {
  ConnectionId connection;
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;          // within the advertised range: net has checked
  std::int32_t correlation_id = 0;
  std::optional<std::string_view> client_id;
  Bytes body;                            // after the request header
  MonoTime arrival;                      // when its last byte was reaped from the ring
  std::string_view listener;             // the listener's name
  ClientAddress client_address;
};

// The connection is gone; nothing may be sent to it any more.
struct ConnectionClosed {
  ConnectionId connection;
};

// Every batch below `end` is on stable storage.
struct Flushed {
  Offset end;
};

struct QuorumStatePersisted {
  std::uint64_t token = 0;  // PersistQuorumState's
};

// An order of WriteSnapshot that does not end its checkpoint has been carried out.
struct SnapshotChunkWritten {
  SnapshotId id;
};

// A snapshot that WriteSnapshot asked for is complete, synced and renamed; or failed (the reason
// has been logged by the log).
struct SnapshotWritten {
  SnapshotId id;
  bool ok = false;
  std::int64_t size = 0;  // of the file, in bytes
};

// A piece of the leader's snapshot that WriteSnapshotPart asked for is written; with the last one (`installed`) the
// snapshot is complete, synced and renamed, and the log begins and ends where it does. Not `ok`: nothing of it is kept.
struct SnapshotPartWritten {
  SnapshotId id;
  bool ok = false;
  bool installed = false;
};

// Retention moved the log's start (a snapshot covers what is gone).
struct LogStartMoved {
  Offset start;
};

// Mail from the lease machines: these sessions have run out (lease/lease_table.h). Heartbeats of these
// brokers that come later are mailed behind it. Counts only while the controller is active in this epoch.
struct LeasesExpired {
  Epoch controller_epoch;
  std::vector<BrokerIncarnation> brokers;
};

// Mail from the lease machines: what heartbeats have told since the last such mail, for those that were answered without
// the controller. Counts only while it is active in this epoch.
struct BrokerContact {
  BrokerIncarnation broker;
  MonoTime last_contact;
  Offset metadata_offset;  // the one recorded; -1: none
};
struct BrokerContacts {
  Epoch controller_epoch;
  std::vector<BrokerContact> brokers;
};

// Mail from the shards: what observers' fetches have told since the last such mail, for those that were answered without
// the controller. Counts only while it leads this epoch.
struct ObserverContact {
  NodeId replica;
  DirectoryId directory{};
  Offset fetch_offset;
  Offset log_end;  // (exclusive) as it was then
  Time at;
};
struct ObserverContacts {
  Epoch epoch;
  std::vector<ObserverContact> observers;
};

// The answer to a SendToPeer, or its loss (`failed`, empty body): each gets one, within
// controller.quorum.request.timeout.ms.
struct PeerReply {
  NodeId peer;
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  std::uint64_t token = 0;
  bool failed = false;
  bool refused = false;               // failed: nobody listens at that address (the dial was refused)
  std::int16_t highest_version = -1;  // failed: the peer has this API only up to here; nothing was sent
  Bytes body;                         // after the response header
};

// SIGTERM: hand over leadership, answer what is parked, then Stopped.
struct Stop {};

using Event = std::variant<Tick, Request, ConnectionClosed, Flushed, QuorumStatePersisted, SnapshotChunkWritten,
                           SnapshotWritten, SnapshotPartWritten, LogStartMoved, LeasesExpired, BrokerContacts,
                           ObserverContacts, PeerReply, Stop>;

}  // namespace hayward::core

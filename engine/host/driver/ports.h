// What the driver needs of log and net; they implement these, tools/ wires them up. Calls and
// call-backs on the same shard.
// Owner: engine/host/driver. The log on shard 0, a net on every shard.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/batch.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/types.h"

namespace hayward::driver {

// Call-backs of the log. `failed` is final: the log is not used again and the process ends.
struct LogEvents {
  std::function<void(Offset end)> flushed;
  std::function<void(std::uint64_t token)> quorum_state_persisted;
  std::function<void(core::SnapshotId id)> snapshot_chunk_written;  // of an order that does not end its snapshot
  std::function<void(core::SnapshotId id, bool ok, std::int64_t size)> snapshot_written;
  std::function<void(core::SnapshotId id, bool ok, bool installed)> snapshot_part_written = {};
  std::function<void(Offset start)> log_start_moved;
  std::function<void(std::string reason)> failed;
  std::function<void(const std::string& line)> note;  // a line for the operator; the log goes on
};

// A slice of encoded batches or of a file, kept alive by `owner`.
struct LogSlice {
  std::vector<Bytes> parts;
  std::shared_ptr<const void> owner;
};

class LogPort {
 public:
  virtual ~LogPort() = default;
  virtual void append(BatchPtr batch) = 0;
  virtual void persist_quorum_state(const core::QuorumState& state, std::uint64_t token) = 0;
  virtual void truncate(Offset end) = 0;
  virtual void write_snapshot(core::WriteSnapshot&& snapshot) = 0;
  // Pieces of a snapshot that comes from elsewhere, one at a time, each answered by snapshot_part_written; after the last
  // one the log begins and ends where the snapshot does.
  virtual void write_snapshot_part(core::WriteSnapshotPart&& part) = 0;
  // Whole batches from the one that holds `from`, up to `to`, at most max_bytes but at least one; at
  // once if cached, else after a read. An empty slice with ok == false: no longer there, or an error.
  using ReadDone = std::function<void(bool ok, LogSlice slice)>;
  virtual void read(Offset from, Offset to, std::int32_t max_bytes, ReadDone done) = 0;
  virtual void read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length, ReadDone done) = 0;
  // Flush what is pending, then `done`; nothing may be appended after.
  virtual void close(std::function<void()> done) = 0;
};

// Call-backs of the connections to other controllers.
struct PeerEvents {
  // The one answer or failure of a request; its body is valid during the call. May come from inside PeerPort::send if it
  // failed.
  std::function<void(const core::PeerReply& reply)> replied;
};

class PeerPort {
 public:
  virtual ~PeerPort() = default;
  virtual void send(core::SendToPeer&& request) = 0;
  // Ends all connections; what is under way fails.
  virtual void stop() = 0;
};

// An idle connection on its way from one shard's net to another's: its descriptor, what is known of it, and what it has
// received and not handed on.
struct Handover {
  std::uint16_t to = 0;        // the shard that gets it
  int fd = -1;
  std::string_view listener{};  // as long as the process
  core::ClientAddress address{};
  Buffer unread{};
  std::vector<MonoTime> arrivals{};  // of the whole frames in `unread`, which have been announced
};

// Call-backs of the net. Spans in a request are valid during the call only.
struct NetEvents {
  // Every well-formed request once, as soon as its last byte is reaped: before it may wait behind
  // another one on its connection. Only looks at it; the request itself comes by `request`.
  std::function<void(const core::Request& request)> arrived;
  // The next request of its connection, in order, never while another one of it is unanswered, never
  // from inside a call to NetPort.
  std::function<void(const core::Request& request)> request;
  // The connection is gone, told once; may come from inside close_connection.
  std::function<void(core::ConnectionId connection)> closed;

  // With more than one shard; else empty. `owner`: the shard that the connection of `request`, its next one, belongs to
  // if that is another one; the connection is then handed over as soon as nothing is in flight on it, with the
  // request. handed_over: it has left (closed is not told). handed_over_ended: one that came from another shard ends here.
  std::function<std::optional<std::uint16_t>(const core::Request& request)> owner = {};
  std::function<void(Handover&& handover)> handed_over = {};
  std::function<void(const core::ClientAddress& address)> handed_over_ended = {};
};

class NetPort {
 public:
  virtual ~NetPort() = default;
  // The answer to the one request in progress on `connection`; ignored if that is gone.
  virtual void reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) = 0;
  // The same without memory of its own: at most 60 bytes, which are copied.
  virtual void reply_small(core::ConnectionId connection, Bytes bytes) = 0;
  // head, the length of the slice (compact: uvarint of length + 1, else int32), the slice, tail; sent by
  // gather write, not copied.
  virtual void reply_with_slice(core::ConnectionId connection, Buffer head, LogSlice slice, Buffer tail,
                                bool compact_length) = 0;
  // No answer to the request in progress: ends the connection after what is being sent.
  virtual void close_connection(core::ConnectionId connection, const std::string& reason) = 0;
  // A connection from another shard; its requests may come at once, from inside this call.
  virtual void adopt(Handover&& handover) = 0;
  // One that was accepted here and handed over has ended where it went.
  virtual void handed_over_ended(const core::ClientAddress& address) = 0;
  // Stop accepting, close idle connections, let answers out within a bounded time; then `done` (which
  // may come before stop returns).
  virtual void stop(std::function<void()> done) = 0;
};

}  // namespace hayward::driver

// What the driver needs of log and net; they implement these, tools/ wires them up. Calls and
// call-backs on the same shard.
// Owner: engine/host/driver. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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
  // Whole batches from the one that holds `from`, up to `to`, at most max_bytes but at least one; at
  // once if cached, else after a read. An empty slice with ok == false: no longer there, or an error.
  using ReadDone = std::function<void(bool ok, LogSlice slice)>;
  virtual void read(Offset from, Offset to, std::int32_t max_bytes, ReadDone done) = 0;
  virtual void read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length, ReadDone done) = 0;
  // Flush what is pending, then `done`; nothing may be appended after.
  virtual void close(std::function<void()> done) = 0;
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
};

class NetPort {
 public:
  virtual ~NetPort() = default;
  // The answer to the one request in progress on `connection`; ignored if that is gone.
  virtual void reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) = 0;
  // head, the length of the slice (compact: uvarint of length + 1, else int32), the slice, tail; sent by
  // gather write, not copied.
  virtual void reply_with_slice(core::ConnectionId connection, Buffer head, LogSlice slice, Buffer tail,
                                bool compact_length) = 0;
  // No answer to the request in progress: ends the connection after what is being sent.
  virtual void close_connection(core::ConnectionId connection, const std::string& reason) = 0;
  // Stop accepting, close idle connections, let answers out within a bounded time; then `done` (which
  // may come before stop returns).
  virtual void stop(std::function<void()> done) = 0;
};

}  // namespace hayward::driver

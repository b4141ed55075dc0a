// The metadata log: __cluster_metadata-0 as Kafka lays it out, on the ring port. Opened (and recovered) at
// start-up, then driven through driver::LogPort.
// Owner: shard 0.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/start.h"
#include "engine/host/driver/ports.h"
#include "engine/host/ring/ring.h"
#include "log/error.h"
#include "log/options.h"
#include "log/task.h"

namespace hayward::log {

struct Recovered;

class Log final : public driver::LogPort {
 public:
  // Recovers the directory: see recovery.h. The step is for the simulator; open() waits for it.
  static Step<Result<std::unique_ptr<Log>>> recover(ring::Port& port, LogOptions options);
  static Result<std::unique_ptr<Log>> open(ring::Port& port, LogOptions options);
  // Only once close() is done, or when the port will not run again.
  ~Log() override;

  // What recovery found; as of then.
  const core::LogState& state() const { return state_; }
  // What recovery repaired, one line each, for the operator's log.
  const std::vector<std::string>& notes() const { return notes_; }

  // Gives every batch of the newest snapshot, then every batch of the log from its end (else from the
  // log's start) on, each whole and with its CRC checked; spans are valid during the call. An error that a
  // call returns, or that reading meets, ends it. Before start().
  using Load = std::function<std::expected<void, std::string>(Bytes batch)>;
  Step<std::expected<void, std::string>> replay(Load snapshot, Load log);
  std::expected<void, std::string> replay_now(Load snapshot, Load log);

  // From here on the log may be used.
  void start(driver::LogEvents events);

  void append(BatchPtr batch) override;
  void persist_quorum_state(const core::QuorumState& state, std::uint64_t token) override;
  void truncate(Offset end) override;
  void write_snapshot(core::WriteSnapshot&& snapshot) override;
  void write_snapshot_part(core::WriteSnapshotPart&& part) override;
  void read(Offset from, Offset to, std::int32_t max_bytes, ReadDone done) override;
  void read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length, ReadDone done) override;
  void close(std::function<void()> done) override;

 private:
  struct Parts;
  explicit Log(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
  core::LogState state_;
  std::vector<std::string> notes_;
};

}  // namespace hayward::log

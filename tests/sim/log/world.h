// One node's log in the simulator, through any number of process lives: what was appended, what was
// acknowledged, and whether a reboot shows it. The oracle keeps its own copies and knows nothing of how the
// log does its work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/trace.h"
#include "log/log.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {

// How a process ends.
enum class End { killed, power_cut };

class LogWorld {
 public:
  explicit LogWorld(std::uint64_t seed);
  ~LogWorld();

  // --- one life
  // A new process; the port has these faults and dies instead of seeing completion `crash_at` + 1.
  void start_process(const SimFaults& faults = {}, std::uint64_t crash_at = UINT64_MAX);
  // Opens the log. False: crashed, or refused (then `refusal` says why).
  bool boot();
  void end_process(End how);
  // Orderly. False: crashed on the way.
  bool close();
  bool alive() const { return !port->crashed() && failures.empty(); }

  // --- work; each returns false once the process is not alive any more
  // Appends a batch at the end; `epoch` above the last one makes it a control batch.
  void append(std::int32_t epoch, std::int32_t records, std::size_t value_bytes);
  void truncate(std::int64_t to);
  // The last `batches` batches, none that a snapshot covers.
  void truncate_some(std::uint64_t batches);
  void persist(std::int32_t epoch, std::int32_t vote);
  void snapshot(std::int64_t end_offset, std::size_t value_bytes);
  bool run_until(const std::function<bool()>& done);
  bool settle() { return run_until([this] { return flushed == end && persisted == asked && snapshots_pending == 0; }); }
  bool run_for_ms(std::int64_t ms);

  // --- the oracle, after a boot. Each gives "" or what is wrong.
  // Everything acknowledged is there, bit by bit, and nothing that was never written (S1, S6).
  std::string check_all();
  // What is there was written so; it may end early (for disks that lie). Kafka's formats leave two things
  // without a checksum, which are looked at only on honest disks: quorum-state, and a batch's epoch (wrong
  // epochs show by the next batch or the flush mark, so only the last one's can go unseen).
  std::string check_truth(bool honest = false);

  // Over all lives.
  std::uint64_t trace() const;

  SimClock clock;
  SimDisk disk;
  std::unique_ptr<SimPort> port;
  log::LogOptions options;
  std::unique_ptr<log::Log> log;
  std::string refusal;
  std::vector<std::string> failures;
  std::int64_t flushed = 0;        // acknowledged end of the log
  std::int64_t end = 0;            // of what was appended
  std::int64_t start = 0;          // what retention moved
  std::int32_t last_epoch = 0;
  std::uint64_t asked = 0, persisted = 0;   // quorum states
  int snapshots_pending = 0;
  std::set<core::SnapshotId> snapshots;     // acknowledged and not dropped

 private:
  struct Written {
    std::int64_t base;
    std::int32_t epoch;
    std::string bytes;
  };
  // What the rebooted log holds, batch by batch; nullopt with `fault` set if it cannot be read.
  std::optional<std::vector<Written>> recovered(std::string& fault);
  void adopt();

  std::uint64_t seed_;
  std::uint64_t lives_ = 0;
  TraceHash trace_;
  std::vector<Written> current_;                          // the log as it should be, unflushed batches too
  std::map<std::int64_t, std::vector<Written>> ever_;     // all that was ever appended, by base
  std::vector<core::QuorumState> states_;                 // as asked, in order
  core::WriteSnapshot snapshot_rest_;  // of the one under way, once its first order is carried out
  std::map<core::SnapshotId, std::set<std::string>> snapshot_files_;  // every content asked for
};

}  // namespace hayward::sim

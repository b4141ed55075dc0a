// Writes quorum-state and leader-epoch-checkpoint while the log runs: each by replacement after sync,
// quorum-state in the order asked for.
// Owner: Log. Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "engine/core/types.h"
#include "log/context.h"

namespace hayward::log {

class StateFiles {
 public:
  StateFiles(Context& context, std::vector<core::EpochStart> epochs) : context_(context), epochs_(std::move(epochs)) {}

  TaskScope& tasks() { return context_.tasks(); }

  // events.quorum_state_persisted(token) once it is durable.
  void persist_quorum_state(const core::QuorumState& state, std::uint64_t token);

  // A batch of this epoch begins at `start`; no effect unless the epoch is new.
  void note_epoch(Epoch epoch, Offset start);
  // Epochs that begin at or after `end` are gone.
  void truncate_epochs(Offset end);
  // The log begins at `start` now: the epoch it falls into begins there.
  void advance_epochs(Offset start);

 private:
  Task write_quorum_states();
  Task write_epochs();

  Context& context_;
  std::deque<std::pair<core::QuorumState, std::uint64_t>> states_;
  bool writing_states_ = false;
  std::vector<core::EpochStart> epochs_;
  bool epochs_dirty_ = false;
  bool writing_epochs_ = false;
};

// Drops what `start` makes superfluous; true if anything changed. Shared with recovery.
bool advance_epochs(std::vector<core::EpochStart>& epochs, Offset start);

}  // namespace hayward::log

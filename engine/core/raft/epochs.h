// Where each epoch begins in the log: what tells a replica whose log has diverged how far back to cut.
// Owner: raft/log_view.h. Shard 0.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

// An epoch and the end (exclusive) of what was written in it.
struct EpochEnd {
  Epoch epoch{0};
  Offset end{0};
  friend bool operator==(const EpochEnd&, const EpochEnd&) = default;
};

class EpochIndex {
 public:
  EpochIndex() = default;
  // `starts` ascending in both parts.
  explicit EpochIndex(std::vector<EpochStart> starts) : starts_(std::move(starts)) {}

  // The epoch of the last record; nullopt: the log holds none.
  std::optional<Epoch> last() const;
  // A batch of `epoch` has been appended at `base`. Epochs never fall.
  void add(Epoch epoch, Offset base);
  // The largest known epoch that is not above `epoch`, and its end. Below the first known one: `epoch`
  // itself, which ends where the first begins. nullopt: `epoch` is above all that are known.
  std::optional<EpochEnd> end_of(Epoch epoch, Offset log_end) const;
  // The epoch of the record at `offset`, which lies in the log.
  std::optional<Epoch> at(Offset offset) const;
  // The log's start has moved up.
  void start_moved(Offset start);
  // The log has been cut: everything from `end` on is gone.
  void truncated(Offset end);

 private:
  std::vector<EpochStart> starts_;
};

}  // namespace hayward::core::raft

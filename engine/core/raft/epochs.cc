// See epochs.h.
#include "engine/core/raft/epochs.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {

std::optional<Epoch> EpochIndex::last() const {
  return starts_.empty() ? std::nullopt : std::optional(starts_.back().epoch);
}

void EpochIndex::add(Epoch epoch, Offset base) {
  if (!starts_.empty()) {
    HAYWARD_ASSERT(epoch >= starts_.back().epoch, "R13: epochs never fall along the log");
    if (epoch == starts_.back().epoch) return;
  }
  starts_.push_back({epoch, base});
}

std::optional<EpochEnd> EpochIndex::end_of(Epoch epoch, Offset log_end) const {
  if (starts_.empty() || epoch > starts_.back().epoch) return std::nullopt;
  if (epoch == starts_.back().epoch) return EpochEnd{epoch, log_end};
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), epoch,
                                      [](Epoch e, const EpochStart& start) { return e < start.epoch; });
  if (above == starts_.begin()) return EpochEnd{epoch, above->start};
  return EpochEnd{std::prev(above)->epoch, above->start};
}

std::optional<Epoch> EpochIndex::at(Offset offset) const {
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), offset,
                                      [](Offset o, const EpochStart& start) { return o < start.start; });
  if (above == starts_.begin()) return std::nullopt;
  return std::prev(above)->epoch;
}

void EpochIndex::start_moved(Offset start) {
  while (starts_.size() > 1 && starts_[1].start <= start) starts_.erase(starts_.begin());
  if (!starts_.empty()) starts_.front().start = std::max(starts_.front().start, start);
}

void EpochIndex::truncated(Offset end) {
  while (!starts_.empty() && starts_.back().start >= end) starts_.pop_back();
}

}  // namespace hayward::core::raft

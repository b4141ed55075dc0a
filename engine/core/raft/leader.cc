// See leader.h.
#include "engine/core/raft/leader.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {

bool Leader::flushed(Offset end, const VoterSet& voters) {
  HAYWARD_ASSERT(end >= flushed_, "R10: what is flushed stays flushed");
  flushed_ = end;
  return update_high_watermark(voters);
}

// The offset that a majority of the voters has reached. Voters other than this node have reached nothing
// yet that is known.
bool Leader::update_high_watermark(const VoterSet& voters) {
  std::vector<Offset> ends;
  for (const Voter& voter : voters.all()) ends.push_back(voter.id == self_.id ? flushed_ : no_offset);
  std::sort(ends.begin(), ends.end(), [](Offset a, Offset b) { return a > b; });
  const Offset reached = ends.empty() ? no_offset : ends[ends.size() / 2];
  if (reached <= epoch_start_) return false;  // R9: nothing of this epoch is on a majority yet
  HAYWARD_ASSERT(reached >= high_watermark_, "R7: the high watermark never falls");
  if (reached == high_watermark_) return false;
  high_watermark_ = reached;
  return true;
}

void Leader::observer_fetched(const ReplicaKey& replica, Offset fetch_offset, Offset log_end, const Time& now) {
  if (replica.id < NodeId{0} || replica.id == self_.id) return;  // a consumer, not a replica
  if (!observers_.contains(replica)) forget_silent_observers(now.mono);
  ReplicaProgress& progress = observers_[replica];
  if (fetch_offset >= log_end) {
    progress.last_caught_up_wall_ms = now.wall_ms;
  } else if (progress.leader_end_at_last_fetch > Offset{0} && fetch_offset >= progress.leader_end_at_last_fetch) {
    progress.last_caught_up_wall_ms = std::max(progress.last_caught_up_wall_ms, progress.last_fetch_wall_ms);
  }
  progress.leader_end_at_last_fetch = log_end;
  progress.last_fetch_wall_ms = now.wall_ms;
  progress.last_fetch = now.mono;
  progress.end = fetch_offset;
}

void Leader::forget_silent_observers(MonoTime now) {
  std::erase_if(observers_,
                [&](const auto& entry) { return now - entry.second.last_fetch >= ms_to_ns(observer_session_ms); });
  if (observers_.size() < max_observers) return;
  observers_.erase(std::min_element(observers_.begin(), observers_.end(), [](const auto& a, const auto& b) {
    return a.second.last_fetch < b.second.last_fetch;
  }));
}

std::vector<std::pair<ReplicaKey, ReplicaProgress>> Leader::observers(MonoTime now) const {
  std::vector<std::pair<ReplicaKey, ReplicaProgress>> heard;
  for (const auto& entry : observers_) {
    if (now - entry.second.last_fetch < ms_to_ns(observer_session_ms)) heard.push_back(entry);
  }
  return heard;
}

}  // namespace hayward::core::raft

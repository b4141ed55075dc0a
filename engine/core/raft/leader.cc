// See leader.h.
#include "engine/core/raft/leader.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {
namespace {

void note_fetch(ReplicaProgress& progress, Offset fetch_offset, Offset log_end, const Time& now) {
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

}  // namespace

Leader::Leader(ReplicaKey self, Offset epoch_start, Offset flushed, std::vector<NodeId> granting,
               const VoterSet& voters, MonoTime now)
    : self_(self), epoch_start_(epoch_start), flushed_(flushed), granting_(std::move(granting)) {
  voters_changed(voters, now);
}

void Leader::voters_changed(const VoterSet& voters, MonoTime now) {
  std::erase_if(voters_, [&](const auto& entry) {
    const Voter* voter = voters.find(entry.first);
    return voter == nullptr || voter->directory != entry.second.directory;
  });
  for (const Voter& voter : voters.all()) {
    if (voter.id == self_.id || voters_.contains(voter.id)) continue;
    VoterProgress progress;
    progress.directory = voter.directory;
    progress.last_contact = progress.next_begin = now;
    voters_[voter.id] = progress;
  }
  // One that has become a voter is an observer no more.
  std::erase_if(observers_, [&](const auto& entry) { return voters.has(entry.first); });
}

bool Leader::flushed(Offset end, const VoterSet& voters) {
  HAYWARD_ASSERT(end >= flushed_, "R10: what is flushed stays flushed");
  flushed_ = end;
  return update_high_watermark(voters);
}

// The offset that a majority of the voters has reached. This node counts only if it is one of them (R14), and
// observers never do (R17).
bool Leader::update_high_watermark(const VoterSet& voters) {
  std::vector<Offset> ends;
  for (const Voter& each : voters.all()) {
    const VoterProgress* progress = voter(each.id);
    const bool self = each.id == self_.id && voters.has(self_);
    ends.push_back(self ? flushed_ : progress != nullptr ? progress->end : no_offset);
  }
  std::sort(ends.begin(), ends.end(), [](Offset a, Offset b) { return a > b; });
  const Offset reached = ends.empty() ? no_offset : ends[ends.size() / 2];
  if (reached <= epoch_start_) return false;  // R9: nothing of this epoch is on a majority yet
  if (reached <= high_watermark_) return false;  // R7: a new voter that lags takes nothing back
  high_watermark_ = reached;
  return true;
}

bool Leader::fetched(const ReplicaKey& replica, Offset fetch_offset, Offset log_end, const VoterSet& voters,
                     const Time& now) {
  if (replica.id < NodeId{0} || replica.id == self_.id) return false;  // a consumer, not a replica
  if (voters.has(replica)) {
    VoterProgress& progress = voters_.at(replica.id);
    progress.last_contact = now.mono;
    note_fetch(progress, fetch_offset, log_end, now);
    return update_high_watermark(voters);
  }
  if (!observers_.contains(replica)) forget_silent_observers(now.mono);
  note_fetch(observers_[replica], fetch_offset, log_end, now);
  return false;
}

void Leader::heard_of(const ReplicaKey& replica, const VoterSet& voters, MonoTime now) {
  if (replica.id != self_.id && voters.has(replica)) voters_.at(replica.id).last_contact = now;
}

const VoterProgress* Leader::voter(NodeId id) const {
  const auto at = voters_.find(id);
  return at == voters_.end() ? nullptr : &at->second;
}

const Voter* Leader::update_of(NodeId id) const {
  const auto at = updates_.find(id);
  return at == updates_.end() ? nullptr : &at->second;
}

bool Leader::has_caught_up(const ReplicaKey& observer, MonoTime now) const {
  const auto at = observers_.find(observer);
  return at != observers_.end() && at->second.last_caught_up_wall_ms > 0 &&
         now - at->second.last_fetch < ms_to_ns(observer_session_ms);
}

MonoTime Leader::majority_heard_at(const VoterSet& voters) const {
  const std::size_t others = voters.majority() - (voters.has(self_) ? 1 : 0);
  if (others == 0) return mono_never;
  std::vector<MonoTime> contacts;
  for (const auto& [id, progress] : voters_) contacts.push_back(progress.last_contact);
  if (contacts.size() < others) return mono_never;
  std::sort(contacts.begin(), contacts.end(), [](MonoTime a, MonoTime b) { return a > b; });
  return contacts[others - 1];
}

std::vector<ReplicaKey> Leader::successors(const VoterSet& voters) const {
  std::vector<std::pair<Offset, ReplicaKey>> order;
  for (const Voter& each : voters.all()) {
    if (const VoterProgress* progress = voter(each.id)) order.push_back({progress->end, {each.id, each.directory}});
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<ReplicaKey> keys;
  for (const auto& [end, key] : order) keys.push_back(key);
  return keys;
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

// See sim_log.h.
#include "sim_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hayward::sim {

void SimLog::set_latency(std::int64_t min_ns, std::int64_t max_ns) {
  min_latency_ns_ = min_ns;
  max_latency_ns_ = max_ns;
}

std::int64_t SimLog::latency() {
  return min_latency_ns_ + static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(max_latency_ns_ - min_latency_ns_ + 1)));
}

void SimLog::append(BatchPtr batch, std::int64_t now_ns) {
  batches_.push_back(std::move(batch));
  if (!flush_) begin_flush(now_ns);
}

// Group commit: all that is there goes out with one flush.
void SimLog::begin_flush(std::int64_t now_ns) { flush_ = Completion{now_ns + latency(), core::Flushed{end()}}; }

void SimLog::persist(const core::QuorumState& state, std::uint64_t token, std::int64_t now_ns) {
  persisting_[token] = state;
  last_persist_ns_ = std::max(last_persist_ns_, now_ns + latency());  // one after another
  others_.push_back({last_persist_ns_, core::QuorumStatePersisted{token}});
}

void SimLog::truncate(Offset end) {
  std::vector<BatchPtr> cut;
  while (!batches_.empty() && batches_.back()->base >= end) {
    if (batches_.back()->last < flushed_end_) cut.insert(cut.begin(), batches_.back());
    batches_.pop_back();
  }
  if (cut_.empty()) cut_ = std::move(cut);
  flushed_end_ = std::min(flushed_end_, end);
  if (flush_) {
    auto& flushed = std::get<core::Flushed>(flush_->event);
    flushed.end = std::min(flushed.end, end);
  }
}

void SimLog::write_snapshot_part(core::WriteSnapshotPart part, std::int64_t now_ns) {
  if (part.position == 0) loading_.clear();
  loading_.insert(loading_.end(), part.bytes.begin(), part.bytes.end());
  if (part.last) writing_[part.id] = {std::exchange(loading_, {})};
  others_.push_back({now_ns + latency(), core::SnapshotPartWritten{.id = part.id, .ok = true, .installed = part.last}});
}

void SimLog::write_snapshot(core::WriteSnapshot snapshot, std::int64_t now_ns) {
  std::vector<Buffer>& file = writing_[snapshot.id];
  if (snapshot.begins) file.clear();
  std::ranges::move(snapshot.batches, std::back_inserter(file));
  if (!snapshot.ends) {
    others_.push_back({now_ns + latency(), core::SnapshotChunkWritten{.id = snapshot.id}});
    return;
  }
  std::int64_t size = 0;
  for (const Buffer& batch : file) size += static_cast<std::int64_t>(batch.size());
  others_.push_back({now_ns + latency(), core::SnapshotWritten{.id = snapshot.id, .ok = true, .size = size}});
}

std::vector<core::Event> SimLog::take_completions(std::int64_t now_ns) {
  std::vector<core::Event> done;
  while (flush_ && flush_->at_ns <= now_ns) {
    flushed_end_ = std::get<core::Flushed>(flush_->event).end;
    done.push_back(flush_->event);
    flush_.reset();
    cut_.clear();
    if (end() > flushed_end_) begin_flush(now_ns);
  }
  for (auto at = others_.begin(); at != others_.end();) {
    if (at->at_ns > now_ns) {
      ++at;
      continue;
    }
    if (const auto* persisted = std::get_if<core::QuorumStatePersisted>(&at->event)) {
      quorum_state_ = persisting_.at(persisted->token);
      persisting_.erase(persisted->token);
    } else if (const auto* written = std::get_if<core::SnapshotWritten>(&at->event)) {
      snapshots_[written->id] = std::move(writing_.at(written->id));
      writing_.erase(written->id);
    } else if (const auto* part = std::get_if<core::SnapshotPartWritten>(&at->event); part != nullptr && part->installed) {
      install(part->id);
    }
    done.push_back(at->event);
    at = others_.erase(at);
  }
  return done;
}

std::int64_t SimLog::next_completion_ns() const {
  std::int64_t next_ns = flush_ ? flush_->at_ns : INT64_MAX;
  for (const Completion& completion : others_) next_ns = std::min(next_ns, completion.at_ns);
  return next_ns;
}

void SimLog::crash() {
  flush_.reset();
  others_.clear();
  persisting_.clear();
  writing_.clear();
  loading_.clear();
  while (!batches_.empty() && batches_.back()->last >= flushed_end_) batches_.pop_back();
  if (!cut_.empty() && prng_.chance(1, 2)) {  // the cut itself had not reached the disk
    while (!batches_.empty() && batches_.back()->base >= cut_.front()->base) batches_.pop_back();
    batches_.insert(batches_.end(), cut_.begin(), cut_.end());
    flushed_end_ = end();
  }
  cut_.clear();
  // What recovery does with a log that ends below its newest snapshot: it begins anew there.
  if (!snapshots_.empty() && snapshots_.rbegin()->first.end > end()) {
    batches_.clear();
    start_ = flushed_end_ = snapshots_.rbegin()->first.end;
  }
}

void SimLog::install(core::SnapshotId id) {
  snapshots_.clear();
  snapshots_[id] = std::move(writing_.at(id));
  writing_.erase(id);
  batches_.clear();
  cut_.clear();
  flush_.reset();
  start_ = flushed_end_ = id.end;
}

core::LogState SimLog::state() const {
  core::LogState state;
  state.start = start_;
  state.end = end();
  for (const BatchPtr& batch : batches_) {
    if (state.epochs.empty() || state.epochs.back().epoch < batch->epoch) state.epochs.push_back({batch->epoch, batch->base});
  }
  for (const auto& [id, batches] : snapshots_) {
    std::int64_t size = 0;
    for (const Buffer& batch : batches) size += static_cast<std::int64_t>(batch.size());
    state.snapshots.push_back({id, size});
  }
  state.quorum_state = quorum_state_;
  return state;
}

Buffer SimLog::read(Offset from, Offset to, std::int32_t max_bytes) const {
  Buffer bytes;
  for (const BatchPtr& batch : batches_) {
    if (batch->last < from || batch->base >= to) continue;
    if (!bytes.empty() && bytes.size() + batch->bytes.size() > static_cast<std::size_t>(max_bytes)) break;
    bytes.insert(bytes.end(), batch->bytes.begin(), batch->bytes.end());
  }
  return bytes;
}

Buffer SimLog::read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length) const {
  Buffer all;
  const auto found = snapshots_.find(id);
  if (found == snapshots_.end()) return {};
  for (const Buffer& batch : found->second) all.insert(all.end(), batch.begin(), batch.end());
  const auto begin = std::min(all.size(), static_cast<std::size_t>(position));
  const auto end = std::min(all.size(), begin + static_cast<std::size_t>(length));
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

const std::vector<Buffer>* SimLog::newest_snapshot() const {
  return snapshots_.empty() ? nullptr : &snapshots_.rbegin()->second;
}

}  // namespace hayward::sim

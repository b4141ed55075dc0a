// See watch.h.
#include "tools/load/watch.h"

#include <algorithm>

#include "schemas/batch/batch_reader.h"

namespace hayward::tools {

void Watch::on_batches(Bytes batches) {
  while (const auto header = parse_batch_header(batches)) {
    const Bytes batch = batches.first(std::min(header->size(), batches.size()));
    pending_.push_back({header->last_offset(), Buffer(batch.begin(), batch.end())});
    batches = batches.subspan(batch.size());
  }
}

void Watch::on_fetched(const Answer& answer) {
  while (!pending_.empty() && pending_.front().last < answer.high_watermark) {
    const std::lock_guard lock(mutex_);
    apply(pending_.front().bytes, answer.arrival_ns);
    pending_.pop_front();
  }
  if (answer.caught_up && pending_.empty()) caught_up_ns_.store(answer.asked_ns, std::memory_order_release);
}

void Watch::apply(Bytes batch, std::int64_t seen_ns) {
  const auto header = parse_batch_header(batch);
  if (!header || header->is_control()) return;
  RecordIterator records(*header, batch);
  while (const auto record = records.next()) {
    if (record->value) note(view_.apply(*record->value), seen_ns);
  }
  if (!doomed_.empty() && fall_.waiting == 0 && fall_.fenced == doomed_.size()) {
    settled_.store(true, std::memory_order_release);
  }
}

void Watch::note(const ClusterView::Change& change, std::int64_t seen_ns) {
  using What = ClusterView::Change::What;
  if (change.what == What::nothing || doomed_.empty()) return;
  const NodeId about = change.what == What::leader ? change.before : change.after;
  if (!std::ranges::binary_search(doomed_, about)) return;
  if (seen_ns < first_expiry_ns_) ++fall_.too_early;
  if (change.what == What::fenced) {
    ++fall_.fenced;
    fall_.last_fenced_ns = seen_ns;
    return;
  }
  if (std::ranges::binary_search(doomed_, change.after)) return;  // from one of the dead to another: still waiting
  --fall_.waiting;
  ++(change.after == no_node ? fall_.leaderless : fall_.moved);
  fall_.after_expiry.record(seen_ns - expiry_ns_);
  if (fall_.first_ns == 0) fall_.first_ns = seen_ns;
  fall_.last_ns = seen_ns;
}

void Watch::doom(std::vector<NodeId> brokers, std::int64_t first_expiry_ns, std::int64_t expiry_ns) {
  std::ranges::sort(brokers);
  const std::lock_guard lock(mutex_);
  doomed_ = std::move(brokers);
  first_expiry_ns_ = first_expiry_ns;
  expiry_ns_ = expiry_ns;
  fall_ = {};
  fall_.led = fall_.waiting = view_.led_by(doomed_);
  settled_.store(false, std::memory_order_release);
}

Fall Watch::fall() const {
  const std::lock_guard lock(mutex_);
  return fall_;
}

std::size_t Watch::partitions() const {
  const std::lock_guard lock(mutex_);
  return view_.partitions();
}

std::vector<LedPartition> Watch::altered_candidates(std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return view_.altered_candidates(limit);
}

}  // namespace hayward::tools

// SlotSet: insertion splits a full chunk, erasure drops an empty one.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/slot_set.h"

#include <algorithm>

namespace hayward::core {
namespace {

constexpr std::size_t chunk_capacity = 512;  // an insertion moves 2 KiB at most

}  // namespace

std::size_t SlotSet::chunk_of(std::uint32_t slot) const {
  const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), slot,
                                      [](std::uint32_t s, const auto& chunk) { return s < chunk.front(); });
  return after == chunks_.begin() ? 0 : static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

bool SlotSet::insert(std::uint32_t slot) {
  if (chunks_.empty()) chunks_.emplace_back();
  std::size_t at = chunks_.size() == 1 && chunks_[0].empty() ? 0 : chunk_of(slot);
  auto place = std::lower_bound(chunks_[at].begin(), chunks_[at].end(), slot);
  if (place != chunks_[at].end() && *place == slot) return false;
  if (chunks_[at].size() == chunk_capacity) {
    split(at, place == chunks_[at].end() && at + 1 == chunks_.size());
    if (chunks_[at + 1].empty() || slot >= chunks_[at + 1].front()) ++at;
    place = std::lower_bound(chunks_[at].begin(), chunks_[at].end(), slot);
  }
  chunks_[at].insert(place, slot);
  ++size_;
  return true;
}

// A set that is filled in ascending order keeps its chunks full: the new one starts empty.
void SlotSet::split(std::size_t chunk, bool ascending) {
  const auto next = chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1;
  std::vector<std::uint32_t> upper;
  if (!ascending) {
    auto& full = chunks_[chunk];
    const auto middle = full.begin() + static_cast<std::ptrdiff_t>(full.size() / 2);
    upper.assign(middle, full.end());
    full.erase(middle, full.end());
  }
  chunks_.insert(next, std::move(upper));
}

bool SlotSet::erase(std::uint32_t slot) {
  if (chunks_.empty()) return false;
  const std::size_t at = chunk_of(slot);
  const auto place = std::lower_bound(chunks_[at].begin(), chunks_[at].end(), slot);
  if (place == chunks_[at].end() || *place != slot) return false;
  chunks_[at].erase(place);
  if (chunks_[at].empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(at));
  --size_;
  return true;
}

bool SlotSet::contains(std::uint32_t slot) const {
  return !chunks_.empty() && std::ranges::binary_search(chunks_[chunk_of(slot)], slot);
}

std::optional<std::uint32_t> SlotSet::at_or_after(std::uint32_t slot) const {
  if (chunks_.empty()) return std::nullopt;
  const std::size_t at = chunk_of(slot);
  const auto place = std::lower_bound(chunks_[at].begin(), chunks_[at].end(), slot);
  if (place != chunks_[at].end()) return *place;
  if (at + 1 == chunks_.size()) return std::nullopt;
  return chunks_[at + 1].front();
}

std::size_t SlotSet::heap_bytes() const {
  std::size_t bytes = chunks_.capacity() * sizeof(chunks_[0]);
  for (const auto& chunk : chunks_) bytes += chunk.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace hayward::core

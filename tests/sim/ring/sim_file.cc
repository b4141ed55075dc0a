#include "tests/sim/ring/sim_file.h"

#include <algorithm>

#include "schemas/runtime/assert.h"

namespace hayward::sim {
namespace {

constexpr std::uint64_t sector = SimFile::sector_bytes;

std::uint64_t first_sector(std::uint64_t offset) { return offset / sector; }
std::uint64_t end_sector(std::uint64_t end) { return (end + sector - 1) / sector; }

}  // namespace

std::uint64_t SimFile::allocated_bytes() const {
  return end_sector(std::max<std::uint64_t>(cache_.size(), reserved_end_)) * sector;
}

std::size_t SimFile::read(std::uint64_t offset, MutableBytes into) const {
  if (offset >= cache_.size()) return 0;
  const auto count = std::min<std::uint64_t>(into.size(), cache_.size() - offset);
  std::copy_n(cache_.begin() + static_cast<std::ptrdiff_t>(offset), count, into.begin());
  return count;
}

void SimFile::write(std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  const std::uint64_t end = offset + bytes.size();
  if (end > cache_.size()) {
    cache_.resize(end);
    note_size(end);
  }
  std::copy(bytes.begin(), bytes.end(), cache_.begin() + static_cast<std::ptrdiff_t>(offset));
  for (std::uint64_t i = first_sector(offset); i < end_sector(end); ++i) note_version(i);
}

void SimFile::truncate(std::uint64_t length) {
  if (length == cache_.size()) return;
  const bool shorter = length < cache_.size();
  cache_.resize(length);
  note_size(length);
  if (!shorter) return;
  reserved_end_ = 0;
  dirty_.erase(dirty_.lower_bound(end_sector(length)), dirty_.end());
  if (length % sector != 0) note_version(first_sector(length));
}

void SimFile::reserve(std::uint64_t end) { reserved_end_ = std::max(reserved_end_, end); }

void SimFile::sync() { sync_range(0, end_sector(cache_.size()) * sector); }

void SimFile::sync_range(std::uint64_t offset, std::uint64_t length) {
  apply_sizes(sizes_.size());
  const auto begin = dirty_.lower_bound(first_sector(offset));
  const auto end = dirty_.lower_bound(end_sector(offset + length));
  for (auto it = begin; it != end; ++it) put_durable(it->first, cached_sector(it->first));
  dirty_.erase(begin, end);
}

void SimFile::fail_sync(std::uint64_t offset, std::uint64_t length) {
  dirty_.erase(dirty_.lower_bound(first_sector(offset)), dirty_.lower_bound(end_sector(offset + length)));
}

void SimFile::drop_cache(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t end = length == 0 ? cache_.size() : std::min<std::uint64_t>(cache_.size(), offset + length);
  for (std::uint64_t i = first_sector(offset); i < end_sector(end); ++i) {
    if (dirty_.contains(i)) continue;
    for (std::uint64_t at = i * sector; at < std::min<std::uint64_t>((i + 1) * sector, cache_.size()); ++at) {
      cache_[at] = at < durable_.size() ? durable_[at] : std::byte{0};
    }
  }
}

void SimFile::crash(Prng& prng, CrashCounts& counts) {
  // What reached the platter: nothing, all, a run from the front, or any sectors in any version.
  enum Style { nothing, all, front, any };
  const auto style = static_cast<Style>(prng.below(4));
  const std::size_t sizes = style == all ? sizes_.size() : prng.below(sizes_.size() + 1);
  if (sizes < sizes_.size()) ++counts.sizes_lost;
  apply_sizes(sizes);
  sizes_.clear();
  std::uint64_t left_in_front = dirty_.empty() ? 0 : prng.below(dirty_.size() + 1);
  std::uint64_t kept = 0;
  for (const auto& [index, versions] : dirty_) {
    const std::size_t version = prng.below(versions.size() + 1);  // 0: none of them
    const bool keep = style == all || (style == front && left_in_front > 0) || (style == any && version > 0);
    if (left_in_front > 0) --left_in_front;
    if (!keep) continue;
    put_durable(index, style == any ? versions[version - 1] : versions.back());
    ++kept;
  }
  counts.sectors_kept += kept;
  counts.sectors_lost += dirty_.size() - kept;
  if (kept > 0 && kept < dirty_.size()) ++counts.torn_files;
  dirty_.clear();
  cache_ = durable_;
  reserved_end_ = 0;
}

void SimFile::flip_bit(std::uint64_t offset, unsigned bit) {
  HAYWARD_ASSERT(offset < cache_.size() && bit < 8, "a bit of the file");
  const auto mask = static_cast<std::byte>(1u << bit);
  cache_[offset] ^= mask;
  if (offset < durable_.size()) durable_[offset] ^= mask;
}

SimFile::Sector SimFile::cached_sector(std::uint64_t index) const {
  Sector content{};
  read(index * sector, content);
  return content;
}

// Bytes past the platter's size are not part of the file and are dropped.
void SimFile::put_durable(std::uint64_t index, const Sector& content) {
  const std::uint64_t at = index * sector;
  if (at >= durable_.size()) return;
  const auto count = std::min<std::uint64_t>(sector, durable_.size() - at);
  std::copy_n(content.begin(), count, durable_.begin() + static_cast<std::ptrdiff_t>(at));
}

void SimFile::note_version(std::uint64_t index) {
  auto& versions = dirty_[index];
  if (versions.size() == versions_kept) versions.erase(versions.begin());
  versions.push_back(cached_sector(index));
}

// A run of growth is kept short by forgetting steps in its middle; every truncation is kept.
void SimFile::note_size(std::uint64_t size) {
  const std::size_t n = sizes_.size();
  if (n >= sizes_kept && sizes_[n - 1] >= sizes_[n - 2] && size >= sizes_[n - 1]) {
    sizes_[n - 1] = size;
  } else {
    sizes_.push_back(size);
  }
}

void SimFile::apply_sizes(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) durable_.resize(sizes_[i]);
  sizes_.erase(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace hayward::sim

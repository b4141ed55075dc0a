#include "log/index_format.h"

#include <algorithm>
#include <array>

#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::log {
void IndexBuilder::add(std::int32_t last_relative, std::int32_t position, std::int32_t size,
                       std::int64_t max_timestamp_ms) {
  if (max_timestamp_ms > largest_.timestamp_ms) largest_ = {max_timestamp_ms, last_relative};
  if (bytes_since_entry_ > index_interval_bytes) {
    index_.push_back({last_relative, position});
    add_time_entry();
    bytes_since_entry_ = 0;
  }
  bytes_since_entry_ += size;
}

void IndexBuilder::add_time_entry() {
  if (largest_.timestamp_ms < 0) return;
  if (time_index_.empty() || largest_.timestamp_ms > time_index_.back().timestamp_ms) time_index_.push_back(largest_);
}

void IndexBuilder::finish() { add_time_entry(); }

std::int32_t IndexBuilder::position_before(std::int32_t relative) const {
  const auto after = std::upper_bound(index_.begin(), index_.end(), relative,
                                      [](std::int32_t r, const IndexEntry& entry) { return r < entry.relative; });
  return after == index_.begin() ? 0 : std::prev(after)->position;
}

void IndexBuilder::truncate(std::int32_t position) {
  while (!index_.empty() && index_.back().position >= position) index_.pop_back();
  const std::int32_t kept = index_.empty() ? 0 : index_.back().relative;
  while (!time_index_.empty() && time_index_.back().relative > kept) time_index_.pop_back();
  largest_ = time_index_.empty() ? TimeIndexEntry{} : time_index_.back();
  bytes_since_entry_ = position - (index_.empty() ? 0 : index_.back().position);
}

Buffer encode_index(const std::vector<IndexEntry>& entries, std::size_t from) {
  Buffer bytes((entries.size() - from) * index_entry_bytes);
  Writer writer(bytes);
  for (std::size_t i = from; i < entries.size(); ++i) {
    writer.write_i32(entries[i].relative);
    writer.write_i32(entries[i].position);
  }
  return bytes;
}

Buffer encode_time_index(const std::vector<TimeIndexEntry>& entries, std::size_t from) {
  Buffer bytes((entries.size() - from) * time_index_entry_bytes);
  Writer writer(bytes);
  for (std::size_t i = from; i < entries.size(); ++i) {
    writer.write_i64(entries[i].timestamp_ms);
    writer.write_i32(entries[i].relative);
  }
  return bytes;
}

std::vector<IndexEntry> decode_index(Bytes bytes) {
  std::vector<IndexEntry> entries;
  Reader reader(bytes);
  while (reader.remaining() >= index_entry_bytes) {
    IndexEntry entry;
    entry.relative = reader.read_i32();
    entry.position = reader.read_i32();
    entries.push_back(entry);
  }
  return entries;
}

std::vector<TimeIndexEntry> decode_time_index(Bytes bytes) {
  std::vector<TimeIndexEntry> entries;
  Reader reader(bytes);
  while (reader.remaining() >= time_index_entry_bytes) {
    TimeIndexEntry entry;
    entry.timestamp_ms = reader.read_i64();
    entry.relative = reader.read_i32();
    entries.push_back(entry);
  }
  return entries;
}

Bytes empty_producer_snapshot() {
  // version 1, CRC32C of the four bytes that follow, no entries.
  static constexpr std::array<unsigned char, 10> bytes{0x00, 0x01, 0x48, 0x67, 0x4B, 0xC7, 0x00, 0x00, 0x00, 0x00};
  return as_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace hayward::log

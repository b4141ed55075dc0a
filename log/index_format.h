// A segment's index files and empty producer state: .index maps offsets to file positions, .timeindex
// timestamps to offsets, .snapshot holds no producers (the metadata log has none). The log itself is the
// truth: whoever finds an index that does not fit builds it again from the segment, as Java does.
// Owner: log. Any shard.
#pragma once

#include <cstdint>
#include <vector>

#include "schemas/runtime/bytes.h"

namespace hayward::log {

// Another entry once more than so many bytes of batches follow the last one (index.interval.bytes).
inline constexpr std::int64_t index_interval_bytes = 4096;
inline constexpr std::size_t index_entry_bytes = 8;
inline constexpr std::size_t time_index_entry_bytes = 12;

// The batch at `position` ends at the segment's base offset + `relative`.
struct IndexEntry {
  std::int32_t relative = 0;
  std::int32_t position = 0;
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// The largest timestamp up to here, and the last offset of the batch that brought it.
struct TimeIndexEntry {
  std::int64_t timestamp_ms = -1;
  std::int32_t relative = 0;
  friend bool operator==(const TimeIndexEntry&, const TimeIndexEntry&) = default;
};

// Builds both indexes while batches are appended or scanned, by Kafka's rule: before a batch goes in, if
// more than index_interval_bytes came since the last entry.
class IndexBuilder {
 public:
  // `last_relative`: the batch's last offset less the segment's base.
  void add(std::int32_t last_relative, std::int32_t position, std::int32_t size, std::int64_t max_timestamp_ms);
  // The entry Java adds to .timeindex when a segment is closed or recovered.
  void finish();

  const std::vector<IndexEntry>& index() const { return index_; }
  const std::vector<TimeIndexEntry>& time_index() const { return time_index_; }
  // Where to start looking for the batch that holds `relative`.
  std::int32_t position_before(std::int32_t relative) const;
  // Forgets what lies at or after `position`; adding goes on there.
  void truncate(std::int32_t position);

 private:
  void add_time_entry();

  std::vector<IndexEntry> index_;
  std::vector<TimeIndexEntry> time_index_;
  TimeIndexEntry largest_;
  std::int64_t bytes_since_entry_ = 0;
};

Buffer encode_index(const std::vector<IndexEntry>& entries, std::size_t from = 0);
Buffer encode_time_index(const std::vector<TimeIndexEntry>& entries, std::size_t from = 0);
// Whole entries only; trailing bytes are left out.
std::vector<IndexEntry> decode_index(Bytes bytes);
std::vector<TimeIndexEntry> decode_time_index(Bytes bytes);

// The 10 bytes of a producer snapshot without producers.
Bytes empty_producer_snapshot();

}  // namespace hayward::log

// Settings of the log; the comment is the server.properties key.
// Owner: log. Shard 0.
#pragma once

#include <cstdint>
#include <string>

namespace hayward::log {

struct LogOptions {
  std::string directory;                          // metadata.log.dir (else the first of log.dirs); exists
  std::int64_t segment_bytes = 1 << 30;           // metadata.log.segment.bytes, at most 2^31 - 1
  std::int64_t segment_ms = 604'800'000;          // metadata.log.segment.ms
  std::int64_t retention_bytes = 104'857'600;     // metadata.max.retention.bytes; negative: off
  std::int64_t retention_ms = 604'800'000;        // metadata.max.retention.ms; negative: off
  std::int64_t clean_interval_ms = 60'000;        // how often retention is looked at
  std::int64_t delete_delay_ms = 60'000;          // from the rename to .deleted to the unlink
  std::int64_t mark_sync_delay_ms = 1'000;        // from a flush to the flush mark's own sync
  std::size_t cache_bytes = 4 << 20;              // recent batches kept for readers
  // An explicit order of the operator: cut what is damaged although acknowledged data goes with it.
  bool accept_data_loss = false;
};

}  // namespace hayward::log

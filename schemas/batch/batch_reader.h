// Reads record batches that came from a peer or from disk. Every fault has a name; nothing is read
// past the bytes given.
// Owner: schemas/batch. Any shard.
#pragma once

#include <expected>
#include <optional>

#include "schemas/batch/format.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/reader.h"

namespace hayward {

// The header at the start of `bytes`, which may end anywhere after it: truncated (under 61 bytes),
// bad_length, bad_magic, bad_offsets. The rest of the batch is not looked at.
std::expected<BatchHeader, BatchError> parse_batch_header(Bytes bytes);

// As above, and the whole batch is there with a matching checksum: truncated or bad_crc if not. Bytes
// after the batch are allowed.
std::expected<BatchHeader, BatchError> check_batch(Bytes bytes);

struct BatchRecord {
  Offset offset;
  std::optional<Bytes> key;
  std::optional<Bytes> value;
};

// The records of one batch in order, as views of its bytes:
//   RecordIterator records(header, bytes);
//   while (auto record = records.next()) ...
//   if (records.error()) ...
class RecordIterator {
 public:
  // `batch` starts with the batch that `header` was parsed from.
  RecordIterator(const BatchHeader& header, Bytes batch);

  // nullopt at the end of the batch and at a fault.
  std::optional<BatchRecord> next();
  // Why it ended early; nullopt if all records were given.
  std::optional<BatchError> error() const { return error_; }

 private:
  std::optional<BatchRecord> stop(BatchError error);

  Reader reader_;
  Offset base_offset_;
  std::int32_t count_;
  std::int32_t index_ = 0;
  std::optional<BatchError> error_;
};

}  // namespace hayward

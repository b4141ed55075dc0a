// Record batch, format 2, uncompressed: the form that wire, log and snapshots share. Layout of the
// 61-byte header, the limits, and the names of what can be wrong.
// Owner: schemas/batch. Any shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schemas/runtime/ids.h"

namespace hayward {

namespace batch_format {
// Byte positions in a batch.
inline constexpr std::size_t base_offset_at = 0;
inline constexpr std::size_t length_at = 8;  // counts the bytes after itself
inline constexpr std::size_t epoch_at = 12;
inline constexpr std::size_t magic_at = 16;
inline constexpr std::size_t crc_at = 17;  // CRC32C over attributes to the end
inline constexpr std::size_t attributes_at = 21;
inline constexpr std::size_t records_at = 61;

inline constexpr std::size_t length_overhead = 12;  // base offset and length, which length does not count
inline constexpr std::int8_t magic = 2;
inline constexpr std::int16_t compression_mask = 0x07;
inline constexpr std::int16_t control_flag = 0x20;
}  // namespace batch_format

// The most that one batch may take, header included.
inline constexpr std::size_t max_batch_bytes = 8 * 1024 * 1024;

struct BatchHeader {
  Offset base_offset;
  std::int32_t batch_length = 0;
  Epoch epoch;
  std::uint32_t crc = 0;
  std::int16_t attributes = 0;
  std::int32_t last_offset_delta = 0;
  std::int64_t base_timestamp_ms = -1;
  std::int64_t max_timestamp_ms = -1;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  std::int32_t record_count = 0;

  std::size_t size() const { return batch_format::length_overhead + static_cast<std::size_t>(batch_length); }
  Offset last_offset() const { return Offset{base_offset.value + last_offset_delta}; }
  bool is_control() const { return (attributes & batch_format::control_flag) != 0; }
  bool is_compressed() const { return (attributes & batch_format::compression_mask) != 0; }
};

enum class BatchError {
  truncated,         // fewer bytes than the header, or than the length it gives
  bad_length,        // length smaller than a header
  bad_magic,         // not format 2
  bad_offsets,       // negative, past int64, or not one offset a record
  bad_crc,           //
  compressed,        // metadata batches never are
  record_truncated,  // a record's length or a part of it runs past its end
  record_trailing,   // bytes after the last record, or after a record's parts
  record_offset,     // a record's offset delta is not its index
  record_timestamp,  // a timestamp delta other than 0
  record_headers,    // record headers, which metadata records never have
  control_key,       // a control record without a key of version 0 or above
  control_type,      // a control type unknown in this log
  control_value,     // a control record whose value cannot be decoded
};
std::string_view name(BatchError error);

}  // namespace hayward

// The flush mark: what this node last flushed and may have told others of, kept beside the log in a file
// of its own (the log stays exactly what Kafka's tools read). After a crash it tells a torn tail, which is
// cut, from damage to acknowledged data, which is not cut in silence.
//
// Two slots, each in a sector of its own and written in turn, so that a torn write leaves the other:
//   0 "HWFM"  4 version i16, 0 i16  8 sequence i64  16 end offset i64  24 segment base i64
//   32 position i64  40 epoch i32  44 batch crc u32  48 CRC32C of bytes 0..47
// Owner: log. Shard 0 and the tools.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

struct FlushMark {
  std::int64_t sequence = 0;       // rises with each write; the higher slot counts
  Offset end{0};                   // everything below is flushed
  Offset segment_base{0};          // the segment that holds the last batch
  std::int64_t position = 0;       // that batch's end in the segment's file
  Epoch epoch{0};                  // that batch's; 0 with end 0: nothing flushed yet
  std::uint32_t batch_crc = 0;     // that batch's
  friend bool operator==(const FlushMark&, const FlushMark&) = default;
};

inline constexpr std::size_t flush_mark_slot_bytes = 512;
inline constexpr std::size_t flush_mark_file_bytes = 2 * flush_mark_slot_bytes;

using FlushMarkSlot = std::array<std::byte, flush_mark_slot_bytes>;

FlushMarkSlot encode_flush_mark(const FlushMark& mark);
// Where in the file the mark with this sequence goes.
inline constexpr std::uint64_t flush_mark_offset(std::int64_t sequence) {
  return static_cast<std::uint64_t>(sequence & 1) * flush_mark_slot_bytes;
}
// The newer of the intact slots; nullopt if neither is (no file, another version, torn both).
std::optional<FlushMark> decode_flush_mark(Bytes file);

}  // namespace hayward::log

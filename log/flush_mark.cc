#include "log/flush_mark.h"

#include "schemas/batch/crc32c.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::log {
namespace {

constexpr std::uint32_t magic = 0x4857464D;  // "HWFM"
constexpr std::int16_t version = 1;
constexpr std::size_t covered_bytes = 48;

std::optional<FlushMark> decode_slot(Bytes slot) {
  Reader reader(slot);
  FlushMark mark;
  const std::uint32_t found_magic = reader.read_u32();
  const std::int16_t found_version = reader.read_i16();
  reader.read_i16();
  mark.sequence = reader.read_i64();
  mark.end = Offset{reader.read_i64()};
  mark.segment_base = Offset{reader.read_i64()};
  mark.position = reader.read_i64();
  mark.epoch = Epoch{reader.read_i32()};
  mark.batch_crc = reader.read_u32();
  const std::uint32_t crc = reader.read_u32();
  if (!reader.ok() || found_magic != magic || found_version != version) return std::nullopt;
  if (crc != crc32c(slot.first(covered_bytes))) return std::nullopt;
  if (mark.sequence < 0 || mark.end.value < 0 || mark.position < 0) return std::nullopt;
  return mark;
}

}  // namespace

FlushMarkSlot encode_flush_mark(const FlushMark& mark) {
  FlushMarkSlot slot{};
  Writer writer(slot);
  writer.write_u32(magic);
  writer.write_i16(version);
  writer.write_i16(0);
  writer.write_i64(mark.sequence);
  writer.write_i64(mark.end.value);
  writer.write_i64(mark.segment_base.value);
  writer.write_i64(mark.position);
  writer.write_i32(mark.epoch.value);
  writer.write_u32(mark.batch_crc);
  writer.write_u32(crc32c(Bytes(slot).first(covered_bytes)));
  return slot;
}

std::optional<FlushMark> decode_flush_mark(Bytes file) {
  std::optional<FlushMark> newest;
  for (std::size_t at = 0; at < flush_mark_file_bytes && at + covered_bytes + 4 <= file.size(); at += flush_mark_slot_bytes) {
    const auto mark = decode_slot(file.subspan(at, std::min(flush_mark_slot_bytes, file.size() - at)));
    if (mark && (!newest || mark->sequence > newest->sequence)) newest = mark;
  }
  return newest;
}

}  // namespace hayward::log

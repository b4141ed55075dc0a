#include "schemas/batch/batch_writer.h"

#include "schemas/batch/crc32c.h"
#include "schemas/runtime/assert.h"

namespace hayward {
namespace {

std::size_t varint_size(std::int32_t value) { return uvarint_size(zigzag(value)); }

std::int32_t length_or_null(const std::optional<Bytes>& part) {
  return part ? static_cast<std::int32_t>(part->size()) : -1;
}

}  // namespace

BatchBuilder::BatchBuilder(Offset base_offset, Epoch epoch, std::int64_t timestamp_ms, BatchKind kind)
    : base_offset_(base_offset), epoch_(epoch), timestamp_ms_(timestamp_ms), kind_(kind) {
  bytes_.resize(batch_format::records_at);
}

// Attributes, timestamp delta 0, offset delta, key, value, header count 0.
std::size_t BatchBuilder::body_size(std::int32_t offset_delta, std::optional<Bytes> key, std::size_t value_size) {
  return 1 + 1 + varint_size(offset_delta) + varint_size(length_or_null(key)) + (key ? key->size() : 0) +
         varint_size(static_cast<std::int32_t>(value_size)) + value_size + 1;
}

std::size_t BatchBuilder::record_size(std::int32_t offset_delta, std::optional<Bytes> key, std::size_t value_size) {
  const std::size_t body = body_size(offset_delta, key, value_size);
  return varint_size(static_cast<std::int32_t>(body)) + body;
}

Writer BatchBuilder::begin_record(std::optional<Bytes> key, std::size_t value_size) {
  HAYWARD_ASSERT(value_size <= 0x3fffffff && bytes_.size() <= 0x3fffffff, "a batch stays far under 2 GiB");
  const std::size_t start = bytes_.size();
  bytes_.resize(start + record_size(count_, key, value_size));
  Writer writer(MutableBytes(bytes_).subspan(start));
  writer.write_varint(static_cast<std::int32_t>(body_size(count_, key, value_size)));
  writer.write_i8(0);
  writer.write_varlong(0);
  writer.write_varint(count_);
  writer.write_varint(length_or_null(key));
  if (key) writer.write_raw(*key);
  writer.write_varint(static_cast<std::int32_t>(value_size));
  return writer;
}

void BatchBuilder::end_record(Writer& writer) {
  writer.write_varint(0);
  HAYWARD_ASSERT(writer.room() == 0, "a record fills the size it was given");
  ++count_;
}

void BatchBuilder::add(std::optional<Bytes> key, Bytes value) {
  Writer writer = begin_record(key, value.size());
  writer.write_raw(value);
  end_record(writer);
}

Buffer BatchBuilder::finish() {
  HAYWARD_ASSERT(count_ > 0, "a batch has at least one record");
  Writer writer{MutableBytes(bytes_)};
  writer.write_i64(base_offset_.value);
  writer.write_i32(static_cast<std::int32_t>(bytes_.size() - batch_format::length_overhead));
  writer.write_i32(epoch_.value);
  writer.write_i8(batch_format::magic);
  writer.write_u32(0);
  writer.write_i16(kind_ == BatchKind::control ? batch_format::control_flag : std::int16_t{0});
  writer.write_i32(count_ - 1);
  writer.write_i64(timestamp_ms_);
  writer.write_i64(timestamp_ms_);
  writer.write_i64(-1);  // no producer id
  writer.write_i16(-1);
  writer.write_i32(-1);  // no sequence
  writer.write_i32(count_);
  Writer crc(MutableBytes(bytes_).subspan(batch_format::crc_at));
  crc.write_u32(crc32c(Bytes(bytes_).subspan(batch_format::attributes_at)));
  return std::move(bytes_);
}

}  // namespace hayward

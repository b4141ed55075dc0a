#include "schemas/batch/batch_reader.h"

#include <limits>

#include "schemas/batch/crc32c.h"

namespace hayward {
namespace {

bool offsets_hold(const BatchHeader& h) {
  return h.base_offset.value >= 0 && h.last_offset_delta >= 0 &&
         h.record_count == std::int64_t{h.last_offset_delta} + 1 &&
         h.base_offset.value <= std::numeric_limits<std::int64_t>::max() - h.last_offset_delta;
}

Bytes records_of(const BatchHeader& header, Bytes batch) {
  if (batch.size() < header.size()) return {};
  return batch.first(header.size()).subspan(batch_format::records_at);
}

// A key or value: varint length (-1: null), then the bytes.
std::optional<Bytes> read_part(Reader& r) {
  const std::int32_t length = r.read_varint();
  if (length < 0) return std::nullopt;
  return r.read_raw(static_cast<std::size_t>(length));
}

}  // namespace

std::expected<BatchHeader, BatchError> parse_batch_header(Bytes bytes) {
  if (bytes.size() < batch_format::records_at) return std::unexpected(BatchError::truncated);
  Reader r(bytes);
  BatchHeader h;
  h.base_offset = Offset{r.read_i64()};
  h.batch_length = r.read_i32();
  h.epoch = Epoch{r.read_i32()};
  const std::int8_t magic = r.read_i8();
  h.crc = r.read_u32();
  h.attributes = r.read_i16();
  h.last_offset_delta = r.read_i32();
  h.base_timestamp_ms = r.read_i64();
  h.max_timestamp_ms = r.read_i64();
  h.producer_id = r.read_i64();
  h.producer_epoch = r.read_i16();
  h.base_sequence = r.read_i32();
  h.record_count = r.read_i32();
  if (h.batch_length < 0 || h.size() < batch_format::records_at) return std::unexpected(BatchError::bad_length);
  if (magic != batch_format::magic) return std::unexpected(BatchError::bad_magic);
  if (!offsets_hold(h)) return std::unexpected(BatchError::bad_offsets);
  return h;
}

std::expected<BatchHeader, BatchError> check_batch(Bytes bytes) {
  const auto header = parse_batch_header(bytes);
  if (!header) return header;
  if (bytes.size() < header->size()) return std::unexpected(BatchError::truncated);
  const Bytes covered = bytes.first(header->size()).subspan(batch_format::attributes_at);
  if (crc32c(covered) != header->crc) return std::unexpected(BatchError::bad_crc);
  return header;
}

RecordIterator::RecordIterator(const BatchHeader& header, Bytes batch)
    : reader_(records_of(header, batch)), base_offset_(header.base_offset), count_(header.record_count) {
  if (batch.size() < header.size())
    error_ = BatchError::truncated;
  else if (header.is_compressed())
    error_ = BatchError::compressed;
}

std::optional<BatchRecord> RecordIterator::next() {
  if (error_) return std::nullopt;
  if (index_ == count_) {
    if (reader_.remaining() != 0) error_ = BatchError::record_trailing;
    return std::nullopt;
  }
  const std::int32_t length = reader_.read_varint();
  if (!reader_.ok() || length <= 0) return stop(BatchError::record_truncated);
  Reader body(reader_.read_raw(static_cast<std::size_t>(length)));
  if (!reader_.ok()) return stop(BatchError::record_truncated);
  body.read_i8();  // attributes, unused
  const std::int64_t timestamp_delta = body.read_varlong();
  const std::int32_t offset_delta = body.read_varint();
  BatchRecord record;
  record.offset = Offset{base_offset_.value + index_};
  record.key = read_part(body);
  record.value = read_part(body);
  const std::int32_t headers = body.read_varint();
  if (!body.ok()) return stop(BatchError::record_truncated);
  if (timestamp_delta != 0) return stop(BatchError::record_timestamp);
  if (offset_delta != index_) return stop(BatchError::record_offset);
  if (headers != 0) return stop(BatchError::record_headers);
  if (body.remaining() != 0) return stop(BatchError::record_trailing);
  ++index_;
  return record;
}

std::optional<BatchRecord> RecordIterator::stop(BatchError error) {
  error_ = error;
  return std::nullopt;
}

}  // namespace hayward

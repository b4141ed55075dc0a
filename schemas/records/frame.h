// The frame around a metadata record's value: uvarint frame version (1), uvarint record type,
// uvarint record version, then the body. It is the value of a record in a data batch.
// Owner: schemas/records. Any shard.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "schemas/records/record_type.h"
#include "schemas/runtime/codec.h"

namespace hayward::records {

inline constexpr std::uint32_t frame_version = 1;

struct Frame {
  RecordType type;
  std::int16_t version;  // within what the type's table allows
  Bytes body;            // a view of the value
};

enum class FrameError {
  truncated,        // the three numbers are cut short or too long
  other_frame,      // frame version is not 1
  unknown_type,     // no such record type
  unknown_version,  // not a version of that type
  malformed_body,   // decode() refused the body
  trailing_bytes,   // bytes left after the body
};
std::string_view name(FrameError error);

// Splits a record's value; the body is not looked at.
std::expected<Frame, FrameError> parse_frame(Bytes value);

// The body as a Record, whole: nothing may be left over. Views into the frame's bytes and the arena.
template <class Record>
std::expected<Record, FrameError> decode_body(const Frame& frame, Arena& arena) {
  Reader reader(frame.body);
  Record record;
  if (!decode(reader, frame.version, arena, record)) return std::unexpected(FrameError::malformed_body);
  if (reader.remaining() != 0) return std::unexpected(FrameError::trailing_bytes);
  return record;
}

// Bytes that write_frame will write.
template <class Record>
std::size_t framed_size(const Record& record, std::int16_t version) {
  return uvarint_size(frame_version) + uvarint_size(static_cast<std::uint16_t>(Record::api_key)) +
         uvarint_size(static_cast<std::uint16_t>(version)) + encoded_size(record, version);
}

template <class Record>
void write_frame(Writer& writer, const Record& record, std::int16_t version) {
  writer.write_uvarint(frame_version);
  writer.write_uvarint(static_cast<std::uint16_t>(Record::api_key));
  writer.write_uvarint(static_cast<std::uint16_t>(version));
  encode(writer, record, version);
}

// The framed record at the end of `to`.
template <class Record>
void append_frame(Buffer& to, const Record& record, std::int16_t version) {
  const std::size_t start = to.size();
  to.resize(start + framed_size(record, version));
  Writer writer(MutableBytes(to).subspan(start));
  write_frame(writer, record, version);
}

}  // namespace hayward::records

#include "schemas/records/frame.h"

namespace hayward::records {

std::string_view name(FrameError error) {
  switch (error) {
    case FrameError::truncated:
      return "frame is cut short";
    case FrameError::other_frame:
      return "frame version is not 1";
    case FrameError::unknown_type:
      return "unknown record type";
    case FrameError::unknown_version:
      return "unknown record version";
    case FrameError::malformed_body:
      return "record body is malformed";
    case FrameError::trailing_bytes:
      return "bytes are left after the record";
  }
  return "unknown frame error";
}

std::expected<Frame, FrameError> parse_frame(Bytes value) {
  Reader reader(value);
  const std::uint32_t frame = reader.read_uvarint();
  if (reader.ok() && frame != frame_version) return std::unexpected(FrameError::other_frame);
  const std::uint32_t type = reader.read_uvarint();
  const std::uint32_t version = reader.read_uvarint();
  if (!reader.ok()) return std::unexpected(FrameError::truncated);
  const RecordInfo* const info = type <= 32767 ? find_record_type(static_cast<std::int32_t>(type)) : nullptr;
  if (!info) return std::unexpected(FrameError::unknown_type);
  if (version < static_cast<std::uint32_t>(info->min_version) ||
      version > static_cast<std::uint32_t>(info->max_version)) {
    return std::unexpected(FrameError::unknown_version);
  }
  return Frame{static_cast<RecordType>(type), static_cast<std::int16_t>(version), reader.rest()};
}

}  // namespace hayward::records

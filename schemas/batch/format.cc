#include "schemas/batch/format.h"

namespace hayward {

std::string_view name(BatchError error) {
  switch (error) {
    case BatchError::truncated:
      return "batch is cut short";
    case BatchError::bad_length:
      return "batch length is too small";
    case BatchError::bad_magic:
      return "batch magic is not 2";
    case BatchError::bad_offsets:
      return "batch offsets and record count disagree";
    case BatchError::bad_crc:
      return "batch checksum differs";
    case BatchError::compressed:
      return "batch is compressed";
    case BatchError::record_truncated:
      return "record is cut short";
    case BatchError::record_trailing:
      return "bytes are left after a record";
    case BatchError::record_offset:
      return "record offset is not contiguous";
    case BatchError::record_timestamp:
      return "record timestamp delta is not 0";
    case BatchError::record_headers:
      return "record has headers";
    case BatchError::control_key:
      return "control record key is malformed";
    case BatchError::control_type:
      return "control record type is unknown";
    case BatchError::control_value:
      return "control record value is malformed";
  }
  return "unknown batch error";
}

}  // namespace hayward

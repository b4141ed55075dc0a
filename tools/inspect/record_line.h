// One record of a batch, decoded for printing.
// Owner: tools/inspect. Any thread.
#pragma once

#include <optional>
#include <string>

#include "schemas/batch/batch_reader.h"
#include "tools/inspect/report.h"

namespace hayward::tools {

struct DecodedRecord {
  RecordLine line;
  std::optional<std::string> fault;  // why it could not be decoded
};

// Names of the control types of this log, by number; empty for any other.
std::string_view control_type_name(std::int16_t type);

// `arena` is used for the while of the call.
DecodedRecord decode_record(const BatchRecord& record, bool control, Arena& arena);

}  // namespace hayward::tools

// Bytes as text: base64 with padding, as Kafka's JSON has them.
// Owner: tools/record_json. Any thread.
#pragma once

#include <string>

#include "schemas/runtime/bytes.h"

namespace hayward::tools {

std::string base64(Bytes bytes);

}  // namespace hayward::tools

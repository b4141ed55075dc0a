// Why a record could not be applied: enough to find the record and see what is wrong, in one line.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <string>

#include "schemas/runtime/ids.h"

namespace hayward::core {

// What was wanted and what was there, without the record's place.
struct Mismatch {
  std::string expected;
  std::string found;
};

struct ReplayError {
  Offset offset;
  std::string record;    // its type's name, or the key that is unknown
  std::string expected;
  std::string found;

  // "record UnregisterBrokerRecord at offset 17: expected broker 3 with epoch 5, found epoch 9". Control
  // characters from the record are shown as '?', long parts cut.
  std::string to_string() const;
};

}  // namespace hayward::core

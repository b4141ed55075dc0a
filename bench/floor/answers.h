// The floor's answers: canned bytes for what `hayward load` asks of a controller, with no state but the last broker
// epoch.
#pragma once

#include <cstdint>

#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"

namespace hayward::bench {

class Answers {
 public:
  // `port`: where it says that the active controller is.
  explicit Answers(std::uint16_t port);
  // Appends the answer to one request (its frame without the size). False: a request of another kind.
  bool append(Buffer& out, Bytes request);

 private:
  bool append_rare(Buffer& out, Bytes request, std::int16_t api_key, std::int32_t correlation_id);

  std::uint16_t port_;
  std::int64_t log_end_ = 1;
  Buffer heartbeat_;  // the whole frame; only the correlation id changes
  Arena arena_;
};

}  // namespace hayward::bench

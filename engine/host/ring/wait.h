// Start-up and tools may wait for one operation: submits and runs the port until it is complete.
// Never used once a shard's loop runs.
// Owner: the caller's thread.
#pragma once

#include <utility>

#include "engine/host/ring/ring.h"

namespace hayward::ring {

// `submit` is called with (Port&, Operation&) and must submit exactly one single-shot operation.
template <class Submit>
std::int32_t wait_for(Port& port, Submit&& submit) {
  struct Waiting {
    Operation operation;
    std::int32_t result = 0;
    bool done = false;
  } waiting;
  waiting.operation.owner = &waiting;
  waiting.operation.handler = [](Operation& self, const Completion& completion) {
    auto& w = *static_cast<Waiting*>(self.owner);
    w.result = completion.result;
    w.done = true;
  };
  std::forward<Submit>(submit)(port, waiting.operation);
  while (!waiting.done) port.run_once(true);
  return waiting.result;
}

}  // namespace hayward::ring

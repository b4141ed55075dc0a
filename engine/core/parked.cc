// See parked.h.
#include "engine/core/parked.h"

#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core {

void Parked::park(Offset end, Reply reply) {
  HAYWARD_ASSERT(waiting_.empty() || waiting_.back().end <= end, "C12: later answers wait for at least as much");
  waiting_.push_back({end, std::move(reply)});
}

void Parked::release(Offset high_watermark, Effects& out) {
  while (!waiting_.empty() && waiting_.front().end <= high_watermark) {
    out.push_back(std::move(waiting_.front().reply));
    waiting_.pop_front();
  }
}

void Parked::forget(ConnectionId connection) {
  std::erase_if(waiting_, [&](const Waiting& w) { return w.reply.connection == connection; });
}

}  // namespace hayward::core

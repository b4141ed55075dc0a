// See parked_fetches.h.
#include "engine/core/parked_fetches.h"

#include "schemas/runtime/assert.h"

namespace hayward::core {

void ParkedFetches::park(FetchCall call, MonoTime deadline) {
  const ConnectionId connection = call.connection;
  const bool inserted = calls_.try_emplace(connection, Waiting{std::move(call), deadline}).second;
  HAYWARD_ASSERT(inserted, "a connection has one request in the node at a time");
  by_deadline_.emplace(deadline, connection);
}

void ParkedFetches::forget(ConnectionId connection) {
  const auto at = calls_.find(connection);
  if (at == calls_.end()) return;
  by_deadline_.erase({at->second.deadline, connection});
  calls_.erase(at);
}

std::vector<FetchCall> ParkedFetches::take_behind(Offset high_watermark) {
  std::vector<FetchCall> taken;
  for (auto at = calls_.begin(); at != calls_.end();) {
    FetchCall& call = at->second.call;
    // A replica that does not tell its high watermark may always be behind.
    const bool knows = call.known_high_watermark != FetchCall::untold && call.known_high_watermark >= high_watermark;
    if (knows && call.fetch_offset >= high_watermark) {
      ++at;
      continue;
    }
    by_deadline_.erase({at->second.deadline, at->first});
    taken.push_back(std::move(call));
    at = calls_.erase(at);
  }
  return taken;
}

std::vector<FetchCall> ParkedFetches::take_due(MonoTime now) {
  std::vector<FetchCall> taken;
  while (next_deadline() <= now) {
    const auto at = calls_.find(by_deadline_.begin()->second);
    by_deadline_.erase(by_deadline_.begin());
    taken.push_back(std::move(at->second.call));
    calls_.erase(at);
  }
  return taken;
}

std::vector<FetchCall> ParkedFetches::take_all() {
  std::vector<FetchCall> taken;
  for (auto& [connection, waiting] : calls_) taken.push_back(std::move(waiting.call));
  calls_.clear();
  by_deadline_.clear();
  return taken;
}

}  // namespace hayward::core

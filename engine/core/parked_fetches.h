// Fetches of the metadata log that wait for something new, at most for as long as they asked for.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/raft/fetch.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

using raft::FetchCall;

class ParkedFetches {
 public:
  // At most one per connection.
  void park(FetchCall call, MonoTime deadline);
  void forget(ConnectionId connection);

  // What is taken is no longer parked, and is in a fixed order.
  // Those that do not know of `high_watermark` yet.
  std::vector<FetchCall> take_behind(Offset high_watermark);
  // Those that may have what is uncommitted too and do not have all below `log_end`.
  template <class MayHave>
  std::vector<FetchCall> take_short_of(Offset log_end, MayHave&& may_have) {
    std::vector<FetchCall> taken;
    for (auto at = calls_.begin(); at != calls_.end();) {
      FetchCall& call = at->second.call;
      if (call.fetch_offset >= log_end || !may_have(call.replica)) {
        ++at;
        continue;
      }
      by_deadline_.erase({at->second.deadline, at->first});
      taken.push_back(std::move(call));
      at = calls_.erase(at);
    }
    return taken;
  }
  // Those that have waited long enough.
  std::vector<FetchCall> take_due(MonoTime now);
  std::vector<FetchCall> take_all();

  // mono_never: none waits.
  MonoTime next_deadline() const { return by_deadline_.empty() ? mono_never : by_deadline_.begin()->first; }
  std::size_t size() const { return calls_.size(); }

 private:
  struct Waiting {
    FetchCall call;
    MonoTime deadline;
  };
  std::map<ConnectionId, Waiting> calls_;
  std::set<std::pair<MonoTime, ConnectionId>> by_deadline_;
};

}  // namespace hayward::core

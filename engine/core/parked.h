// Answers that wait: encoded already, each going out once the high watermark has reached what it tells of,
// so that no answer shows what may still be undone (C12).
// Owner: the node. Shard 0.
#pragma once

#include <cstddef>
#include <deque>

#include "engine/core/effect.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Parked {
 public:
  // `reply` goes out once every record below `end` is committed. Ends never decrease from one call to the
  // next (an answer waits for everything written before it). At most one per connection, which bounds this.
  void park(Offset end, Reply reply);

  // Sends what need not wait any more, in the order in which it was parked.
  void release(Offset high_watermark, Effects& out);

  // The connection is gone: its answer is dropped.
  void forget(ConnectionId connection);

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Offset end;
    Reply reply;
  };
  std::deque<Waiting> waiting_;
};

}  // namespace hayward::core

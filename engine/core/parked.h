// Answers that wait: encoded already, each going out once the high watermark has reached what it tells of,
// so that no answer shows what may still be undone (C12).
// Owner: the node. Shard 0.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// A request that outlives its event: it will be answered anew if its answer never becomes true.
struct KeptRequest {
  explicit KeptRequest(const Request& original);
  KeptRequest(const KeptRequest&) = delete;
  KeptRequest& operator=(const KeptRequest&) = delete;
  Request request;  // its views are of what follows

 private:
  Buffer body_;
  std::string listener_;
  std::string client_id_;
};

class Parked {
 public:
  // `reply` goes out once every record below `end` is committed. Ends never decrease from one call to the
  // next (an answer waits for everything written before it). At most one per connection, which bounds this.
  // `request`: kept where leadership can be lost; else null.
  void park(Offset end, Reply reply, std::unique_ptr<KeptRequest> request = nullptr);

  // Sends what need not wait any more, in the order in which it was parked.
  void release(Offset high_watermark, Effects& out);

  // Leadership is lost: none of the answers goes out. Their requests, in order.
  std::vector<std::unique_ptr<KeptRequest>> take_requests();

  // The connection is gone: its answer is dropped.
  void forget(ConnectionId connection);

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Offset end;
    Reply reply;
    std::unique_ptr<KeptRequest> request;
  };
  std::deque<Waiting> waiting_;
};

}  // namespace hayward::core

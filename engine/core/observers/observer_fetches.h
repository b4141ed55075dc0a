// Observers' fetches of the metadata log, answered on the shard of the observer's connection: from batches that are
// committed, encoded once for all and shared by all shards, and from what the controller has published of its
// leadership. Answered here, or parked here until more is committed, is the fetch of a broker that has a lease on this shard,
// is no voter, knows the present epoch, has fetched in it, and lacks nothing that is older than the batches at hand. Every
// other fetch is the controller's, and where both could answer they answer the same.
// Owner: the shard that owns the brokers. Any shard but the controller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/batch.h"
#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/lease/lease_table.h"
#include "engine/core/types.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Who fetches; nullopt: `request` is no Fetch, or a malformed one. Negative: a consumer.
std::optional<NodeId> fetching_replica(const Request& request);

class ObserverFetches {
 public:
  // Batches are kept up to so many bytes, the newest one whatever its size. The other shards and the log's own cache
  // hold the same ones.
  static constexpr std::size_t window_bytes = 2 << 20;

  // Without batches `head` is the whole answer; else it ends before the length of the records (compact), and `tail`
  // follows them.
  struct Answer {
    ConnectionId connection;
    Buffer head;
    std::vector<BatchPtr> batches;
    Buffer tail;
  };
  using Answers = std::vector<Answer>;

  explicit ObserverFetches(const LeaseTable& leases) : leases_(leases) {}

  // What the controller has published since the last time: `batches` are what has become committed, without gaps behind those
  // before, or, when it has begun to publish, from `begin` on. Adds to `out` the answers that are due by it; when the
  // leadership ends, or its voters change, those are all that are parked, as of before.
  void publish(const PublishLog& news, Offset begin, std::span<const BatchPtr> batches, Answers& out);

  // True: `request` is a Fetch that this shard answers: in `out` now, or later. `log_end`: the log's end (exclusive) as this
  // shard knows it.
  bool take(const Request& request, Offset log_end, const Time& now, Answers& out);
  // Those that have waited as long as they asked for.
  void answer_due(MonoTime now, Answers& out);
  // mono_never: none waits.
  MonoTime next_deadline() const { return by_deadline_.empty() ? mono_never : by_deadline_.begin()->first; }
  // The connection is gone.
  void forget(ConnectionId connection);

  // What has been told since the last call, the last of each observer; nullopt: nothing.
  std::optional<ObserverContacts> take_contacts();

  std::uint64_t answered() const { return answered_; }

 private:
  struct Call {
    ConnectionId connection;
    std::int32_t correlation_id = 0;
    std::int16_t version = 0;
    std::string_view listener;  // as long as the process
    Offset fetch_offset;
    std::int32_t max_bytes = 0;
  };
  struct Waiting {
    Call call;
    MonoTime deadline;
  };

  // The partition that it asks for, if all of it is as the head of this file says.
  const messages::FetchRequest::FetchPartition* steady_partition(const messages::FetchRequest& fetch, NodeId replica) const;
  void add(std::span<const BatchPtr> batches);
  void drop_oldest();
  void answer(const Call& call, Answers& out);
  void answer_all(Answers& out);
  std::vector<BatchPtr> batches_for(const Call& call) const;

  const LeaseTable& leases_;
  std::shared_ptr<const LeaderFacts> leader_;  // null: nothing is published
  Offset high_watermark_{0};
  Offset log_start_{0};
  std::deque<BatchPtr> window_;
  Offset window_begin_{0};  // everything committed from here on is in the window
  std::size_t window_size_ = 0;
  std::map<ConnectionId, Waiting> parked_;
  std::set<std::pair<MonoTime, ConnectionId>> by_deadline_;
  std::map<NodeId, ObserverContact> contacts_;
  Arena arena_;
  std::uint64_t answered_ = 0;
};

}  // namespace hayward::core

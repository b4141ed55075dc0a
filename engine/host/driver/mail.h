// What shards say to one another. All of it passes through the controller's shard, which has a mailbox each way with
// every other shard; what does not fit a mailbox waits beside it, so nobody ever blocks (and a touch least of all): what
// waits is bounded by the connections, each of which has at most one request or answer under way.
// Owner: engine/host/driver. Each end its shard.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/types.h"
#include "engine/host/driver/ports.h"
#include "engine/host/shard/mailbox.h"
#include "schemas/runtime/bytes.h"

namespace hayward::driver {

// A heartbeat that reached another shard than its broker's.
struct Touch {
  core::BrokerIncarnation broker;
  Offset metadata_offset;
  MonoTime arrival;
};

// Leases that have run out, with the metadata offset that each had recorded.
struct MailedExpiry {
  core::LeasesExpired expired;
  std::vector<Offset> recorded;
};

// A request for the controller with all that it refers to.
struct MailedRequest {
  MailedRequest() = default;
  explicit MailedRequest(const core::Request& request);
  // Valid as long as this object is in place.
  core::Request view() const;

  core::Request request;  // its spans are void
  std::string client_id;
  Buffer body;
};

// NetPort::reply_with_slice.
struct SliceReply {
  core::ConnectionId connection;
  Buffer head;
  LogSlice slice;
  Buffer tail;
  bool compact_length = true;
};

// What shards answer observers' fetches from: the controller's word, and the batches that it commits with it. `begin`: where
// the first of them begins, or will, once it has begun to publish.
struct CommittedBatches {
  core::PublishLog news;
  Offset begin{0};
  std::vector<BatchPtr> batches;
};

struct StopNet {};
struct NetStopped {};
// A connection that was handed over is gone for good.
struct HandedOverEnded {
  core::ClientAddress address;
};

// core::Effect: a lease order, a Reply or a CloseConnection.
using ToShard = std::variant<std::monostate, core::Effect, SliceReply, CommittedBatches, Touch, Handover, StopNet>;
using ToController = std::variant<std::monostate, MailedRequest, core::ConnectionClosed, core::BrokerContacts,
                                  core::ObserverContacts, MailedExpiry, Touch, Handover, HandedOverEnded, NetStopped>;

// The sending end of one mailbox.
template <class Mail>
class Outbox {
 public:
  // `wake` ends the receiver's waiting; from this shard's thread.
  Outbox(shard::Mailbox<Mail>& box, std::function<void()> wake) : box_(box), wake_(std::move(wake)) {}

  void send(Mail mail) {
    if (waiting_.empty() && box_.push(std::move(mail)))
      pushed_ = true;
    else
      waiting_.push_back(std::move(mail));
  }
  // At the end of a turn: pushes what had to wait, and wakes the receiver if there is anything for it. False:
  // something still waits; try again in a moment.
  bool flush() {
    while (!waiting_.empty() && box_.push(std::move(waiting_.front()))) {
      waiting_.pop_front();
      pushed_ = true;
    }
    if (std::exchange(pushed_, false)) wake_();
    return waiting_.empty();
  }

 private:
  shard::Mailbox<Mail>& box_;
  std::function<void()> wake_;
  std::deque<Mail> waiting_;
  bool pushed_ = false;
};

// How long a sender waits before it tries a full mailbox again.
inline constexpr std::int64_t mailbox_retry_ns = ms_to_ns(1);

// The two mailboxes between the controller's shard and one other. Outlives both shards' threads.
struct ShardLink {
  static constexpr std::size_t capacity = 256;

  shard::Mailbox<ToShard> to_shard{capacity};
  shard::Mailbox<ToController> to_controller{capacity};
};

// The end (exclusive) of the metadata log, for the shards' touches: written by the controller's shard.
using SharedLogEnd = std::atomic<std::int64_t>;

}  // namespace hayward::driver

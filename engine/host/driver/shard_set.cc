// See shard_set.h.
#include "engine/host/driver/shard_set.h"

#include <algorithm>
#include <utility>

#include "engine/core/lease/lease_mail.h"
#include "engine/core/lease/owner.h"
#include "engine/core/observers/observer_fetches.h"
#include "engine/host/driver/route.h"
#include "schemas/messages/fetch_request.h"

namespace hayward::driver {

ShardSet::ShardSet(const Settings& settings, std::vector<Other> others, SharedLogEnd& log_end)
    : settings_(settings), others_(std::move(others)), log_end_(log_end), heard_(settings.session_timeout_ms), held_(others_.size()) {
  for (const Other& other : others_) {
    outboxes_.push_back(std::make_unique<Sender>(other.link.to_shard, other.wake));
  }
}

ShardSet::Sender& ShardSet::owner(NodeId broker) { return sender(core::owner_shard(broker, settings_.shards)); }

// --- out

bool ShardSet::order(const core::Effect& effect) {
  if (const auto* grant = std::get_if<core::GrantLease>(&effect)) {
    owner(grant->broker.id).send(*grant);
  } else if (const auto* drop = std::get_if<core::DropLease>(&effect)) {
    owner(drop->broker).send(*drop);
  } else if (const auto* publish = std::get_if<core::PublishBroker>(&effect)) {
    owner(publish->broker.id).send(*publish);
  } else if (const auto* withdraw = std::get_if<core::WithdrawBroker>(&effect)) {
    owner(withdraw->broker).send(*withdraw);
  } else if (const auto* access = std::get_if<core::PublishClusterAccess>(&effect)) {
    access_.replace(access->rules);
    to_all(effect);
  } else if (const auto* news = std::get_if<core::PublishLog>(&effect)) {
    publish_log(*news);
  } else if (std::holds_alternative<core::ResetLeases>(effect) || std::holds_alternative<core::SignOfLife>(effect)) {
    to_all(effect);
  } else {
    if (const auto* append = std::get_if<core::Append>(&effect); append != nullptr && leader_) {
      uncommitted_.push_back(append->batch);
    }
    return false;
  }
  return true;
}

void ShardSet::publish_log(const core::PublishLog& news) {
  CommittedBatches mail{.news = news, .begin = Offset{log_end_.load(std::memory_order_relaxed)}, .batches = {}};
  if (!news.leader || !leader_ || news.leader->epoch != leader_->epoch) uncommitted_.clear();
  leader_ = news.leader;
  while (!uncommitted_.empty() && uncommitted_.front()->last < news.high_watermark) {
    mail.batches.push_back(std::move(uncommitted_.front()));
    uncommitted_.pop_front();
  }
  for (const auto& outbox : outboxes_) outbox->send(mail);
}

std::optional<std::uint16_t> ShardSet::owner_of(const core::Request& request) const {
  if (request.api_key != messages::FetchRequest::api_key) return driver::owner_of(request, 0, settings_.shards);
  if (!leader_) return std::nullopt;
  const std::optional<NodeId> replica = core::fetching_replica(request);
  if (!replica || *replica < NodeId{0} || std::ranges::binary_search(leader_->voters, *replica)) return std::nullopt;
  return core::owner_shard(*replica, settings_.shards);
}

void ShardSet::to_all(const core::Effect& effect) {
  for (const auto& outbox : outboxes_) outbox->send(effect);
}

void ShardSet::touch(const core::Request& request) {
  if (request.api_key != core::broker_heartbeat_api_key || !access_.allows(request.client_address)) return;
  if (const auto head = core::read_heartbeat_head(request.body)) {
    touch(Touch{head->broker, head->metadata_offset, request.arrival});
  }
}

void ShardSet::touch(const Touch& touch) {
  heard_.heard(touch.broker, touch.metadata_offset, touch.arrival);
  owner(touch.broker.id).send(touch);
}

void ShardSet::hand_over(Handover&& handover) { sender(handover.to).send(std::move(handover)); }

bool ShardSet::flush() {
  bool all = true;
  for (const auto& outbox : outboxes_) all = outbox->flush() && all;
  return all;
}

void ShardSet::reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) {
  if (connection.shard == 0) return net_->reply(connection, std::move(bytes), throttle_ms);
  sender(connection.shard).send(core::Reply{connection, std::move(bytes), throttle_ms});
}

void ShardSet::reply_with_slice(core::ConnectionId connection, Buffer head, LogSlice slice, Buffer tail,
                                bool compact_length) {
  if (connection.shard == 0) {
    return net_->reply_with_slice(connection, std::move(head), std::move(slice), std::move(tail), compact_length);
  }
  sender(connection.shard)
      .send(SliceReply{connection, std::move(head), std::move(slice), std::move(tail), compact_length});
}

void ShardSet::close_connection(core::ConnectionId connection, const std::string& reason) {
  if (connection.shard == 0) return net_->close_connection(connection, reason);
  sender(connection.shard).send(core::CloseConnection{connection, reason});
}

void ShardSet::stop(std::function<void()> done) {
  stopped_ = std::move(done);
  nets_running_ = 1 + others_.size();
  for (const auto& outbox : outboxes_) outbox->send(StopNet{});
  net_->stop([this] { net_stopped(); });
}

void ShardSet::net_stopped() {
  if (--nets_running_ == 0) std::exchange(stopped_, nullptr)();
}

// --- in

void ShardSet::receive(MonoTime now, const Receiver& to) {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    ToController mail;
    while (!held_[i] && others_[i].link.to_controller.pop(mail)) receive_one(mail, to, held_[i], now);
  }
}

void ShardSet::receive_one(ToController& mail, const Receiver& to, std::optional<Held>& held, MonoTime now) {
  if (const auto* request = std::get_if<MailedRequest>(&mail)) {
    to.request(request->view());
  } else if (auto* contacts = std::get_if<core::BrokerContacts>(&mail)) {
    to.event(std::move(*contacts));
  } else if (auto* observers = std::get_if<core::ObserverContacts>(&mail)) {
    to.event(std::move(*observers));
  } else if (auto* expiry = std::get_if<MailedExpiry>(&mail)) {
    const std::int64_t session_ns = ms_to_ns(settings_.session_timeout_ms);
    held = Held{.mail = std::move(*expiry),
                .drain = now - last_turn_end_ > session_ns / 64,
                .until = now + session_ns / 4};
  } else if (const auto* closed = std::get_if<core::ConnectionClosed>(&mail)) {
    to.event(*closed);
  } else if (const auto* touched = std::get_if<Touch>(&mail)) {
    touch(*touched);
  } else if (auto* handover = std::get_if<Handover>(&mail)) {
    hand_over(std::move(*handover));
  } else if (const auto* ended = std::get_if<HandedOverEnded>(&mail)) {
    net_->handed_over_ended(ended->address);
  } else if (std::holds_alternative<NetStopped>(mail)) {
    net_stopped();
  }
}

bool ShardSet::holds_expired() const {
  return std::any_of(held_.begin(), held_.end(), [](const auto& held) { return held.has_value(); });
}

bool ShardSet::has_mail() const {
  return std::any_of(others_.begin(), others_.end(), [](const Other& other) { return !other.link.to_controller.empty(); });
}

std::vector<core::LeasesExpired> ShardSet::take_expired(unsigned completions, MonoTime now) {
  std::vector<core::LeasesExpired> ready;
  for (std::optional<Held>& held : held_) {
    if (!held || std::exchange(held->fresh, false)) continue;
    if (held->drain && completions > 0 && now < held->until) continue;
    for (const core::GrantLease& again : heard_.take_out(held->mail.expired, held->mail.recorded, now)) order(again);
    if (!held->mail.expired.brokers.empty()) ready.push_back(std::move(held->mail.expired));
    held.reset();
  }
  last_turn_end_ = now;
  return ready;
}

}  // namespace hayward::driver

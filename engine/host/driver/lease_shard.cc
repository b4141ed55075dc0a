// See lease_shard.h.
#include "engine/host/driver/lease_shard.h"

#include <string>
#include <utility>

#include "engine/core/lease/lease_mail.h"
#include "engine/core/lease/owner.h"
#include "engine/host/driver/route.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/runtime/assert.h"

namespace hayward::driver {
namespace {

// How old the controller's knowledge of observers may be while anything happens at all.
constexpr std::int64_t contacts_interval_ns = ms_to_ns(100);

}  // namespace

LeaseShard::LeaseShard(ring::Port& port, const Settings& settings, std::uint16_t index, ShardLink& link,
                       const SharedLogEnd& log_end, std::function<void()> wake_controller, LogLine log_line)
    : port_(port),
      settings_(settings),
      index_(index),
      link_(link),
      log_end_(log_end),
      log_line_(std::move(log_line)),
      leases_(settings.session_timeout_ms, settings.fetch_timeout_ms, MonoTime{port.now_ns()}),
      fetches_(leases_.leases()),
      told_{port.now_ns()},
      outbox_(link.to_controller, std::move(wake_controller)),
      lease_timer_(port, [](void*) {}, this),
      fetch_timer_(port, [](void*) {}, this),
      retry_timer_(port, [](void*) {}, this) {}

NetEvents LeaseShard::net_events() {
  return {.arrived = [this](const core::Request& request) { on_arrived(request); },
          .request = [this](const core::Request& request) { on_request(request); },
          .closed =
              [this](core::ConnectionId connection) {
                fetches_.forget(connection);
                outbox_.send(core::ConnectionClosed{connection});
              },
          .owner = [this](const core::Request& request) { return owner_of(request, index_, settings_.shards); },
          .handed_over = [this](Handover&& handover) { outbox_.send(std::move(handover)); },
          .handed_over_ended = [this](const core::ClientAddress& address) { outbox_.send(HandedOverEnded{address}); }};
}

// --- the turn

void LeaseShard::run_once(bool wait) {
  turn_begun_ = false;
  const unsigned completions = port_.run_once(wait && !leases_.draining() && link_.to_shard.empty());
  begin_turn();
  end_turn(completions);
}

// Before anything else in a turn: a stall moves every deadline before a heartbeat is counted, and what the controller has
// decided is known before any heartbeat is answered that was on its way when it did (what this turn handles had arrived
// before the mail is looked at).
void LeaseShard::begin_turn() {
  if (std::exchange(turn_begun_, true)) return;
  const std::int64_t gap_ns = leases_.begin_turn(now());
  if (gap_ns > 0) {
    log_line_(core::LogLine::Level::warn, "shard " + std::to_string(index_) + " stood still for " +
                                              std::to_string(gap_ns / 1'000'000) +
                                              " ms: broker sessions are extended by as much");
  }
  ToShard mail;
  while (link_.to_shard.pop(mail)) receive(mail);
}

void LeaseShard::end_turn(unsigned completions) {
  core::ShardLeases::Mail mail = leases_.end_turn(completions, now());
  if (mail.contacts) outbox_.send(std::move(*mail.contacts));
  if (mail.expired) {
    MailedExpiry expiry{std::move(*mail.expired), {}};
    for (const auto& lease : leases_.leases().last_expired()) expiry.recorded.push_back(lease.offset);
    outbox_.send(std::move(expiry));
  }
  answer_due_fetches();
  if (now() - told_ >= contacts_interval_ns) tell_of_observers();
  if (!outbox_.flush()) retry_timer_.set_if_earlier(port_.now_ns() + mailbox_retry_ns);
  // While draining the loop does not wait; a timer of ours would only look like input.
  if (!leases_.draining()) lease_timer_.set(leases_.next_wake().ns);
}

// While the controller shows no life nobody hears that there is nothing new: an observer must be able to see that its
// leader has gone silent.
void LeaseShard::answer_due_fetches() {
  const MonoTime at = now();
  if (!leases_.controller_lives(at)) return;
  core::ObserverFetches::Answers answers;
  fetches_.answer_due(at, answers);
  send(std::move(answers));
  if (!leases_.draining()) fetch_timer_.set(fetches_.next_deadline().ns);
}

void LeaseShard::tell_of_observers() {
  told_ = now();
  if (auto contacts = fetches_.take_contacts()) outbox_.send(std::move(*contacts));
}

// --- from the net

// Touch first: before the request may wait for anything.
void LeaseShard::on_arrived(const core::Request& request) {
  begin_turn();
  if (request.api_key != core::broker_heartbeat_api_key) return;
  const auto head = core::read_heartbeat_head(request.body);
  if (!head) return;
  if (core::owner_shard(head->broker.id, settings_.shards) == index_)
    leases_.touch(request, log_end());
  else if (leases_.allows(request.client_address))
    outbox_.send(Touch{head->broker, head->metadata_offset, request.arrival});
}

void LeaseShard::on_request(const core::Request& request) {
  begin_turn();
  if (const auto* answer = leases_.answer(request, now())) {
    net_->reply_small(request.connection, *answer);
    return;
  }
  if (request.api_key == messages::FetchRequest::api_key) {
    const MonoTime at = now();
    core::ObserverFetches::Answers answers;
    if (leases_.controller_lives(at) && leases_.allows(request.client_address) &&
        fetches_.take(request, log_end(), {at, port_.wall_ms()}, answers)) {
      return send(std::move(answers));
    }
    tell_of_observers();
  }
  if (request.api_key == core::broker_heartbeat_api_key) {
    if (auto contacts = leases_.take_contacts()) outbox_.send(std::move(*contacts));
  }
  outbox_.send(MailedRequest(request));
}

// --- from the controller

void LeaseShard::receive(ToShard& mail) {
  if (auto* effect = std::get_if<core::Effect>(&mail)) {
    carry_out(*effect);
  } else if (auto* slice = std::get_if<SliceReply>(&mail)) {
    net_->reply_with_slice(slice->connection, std::move(slice->head), std::move(slice->slice), std::move(slice->tail),
                           slice->compact_length);
  } else if (const auto* committed = std::get_if<CommittedBatches>(&mail)) {
    core::ObserverFetches::Answers answers;
    fetches_.publish(committed->news, committed->begin, committed->batches, answers);
    send(std::move(answers));
  } else if (const auto* touch = std::get_if<Touch>(&mail)) {
    leases_.touch(touch->broker, touch->metadata_offset, log_end(), touch->arrival);
  } else if (auto* handover = std::get_if<Handover>(&mail)) {
    net_->adopt(std::move(*handover));
  } else if (std::holds_alternative<StopNet>(mail)) {
    net_->stop([this] { outbox_.send(NetStopped{}); });
  }
}

void LeaseShard::send(core::ObserverFetches::Answers&& answers) {
  for (core::ObserverFetches::Answer& answer : answers) {
    if (answer.batches.empty()) {
      net_->reply(answer.connection, std::move(answer.head), 0);
      continue;
    }
    LogSlice slice;
    for (const BatchPtr& batch : answer.batches) slice.parts.push_back(batch->bytes);
    slice.owner = std::make_shared<const std::vector<BatchPtr>>(std::move(answer.batches));
    net_->reply_with_slice(answer.connection, std::move(answer.head), std::move(slice), std::move(answer.tail),
                           /*compact_length=*/true);
  }
}

void LeaseShard::carry_out(core::Effect& effect) {
  if (leases_.apply(effect)) return;
  if (auto* reply = std::get_if<core::Reply>(&effect)) {
    net_->reply(reply->connection, std::move(reply->bytes), reply->throttle_ms);
  } else if (auto* close = std::get_if<core::CloseConnection>(&effect)) {
    net_->close_connection(close->connection, close->reason);
  } else {
    HAYWARD_ASSERT(false, "an effect that is not for this shard");
  }
}

}  // namespace hayward::driver

// See driver.h.
#include "engine/host/driver/driver.h"

#include <utility>

#include "engine/core/lease/lease_mail.h"
#include "schemas/runtime/assert.h"

namespace hayward::driver {

Driver::Driver(ring::Port& port, const Settings& settings, Offset log_end, Controller controller, LogLine log_line)
    : port_(port),
      controller_(std::move(controller)),
      log_line_(std::move(log_line)),
      shards_in_all_(settings.shards),
      leases_(settings.session_timeout_ms, settings.fetch_timeout_ms, MonoTime{port.now_ns()}),
      log_end_(log_end),
      node_timer_(
          port, [](void* owner) { static_cast<Driver*>(owner)->on_node_timer(); }, this),
      lease_timer_(port, [](void*) {}, this),
      retry_timer_(port, [](void*) {}, this) {}

LogEvents Driver::log_events() {
  return {
      .flushed = [this](Offset end) { post(core::Flushed{.end = end}); },
      .quorum_state_persisted = [this](std::uint64_t token) { post(core::QuorumStatePersisted{.token = token}); },
      .snapshot_chunk_written = [this](core::SnapshotId id) { post(core::SnapshotChunkWritten{.id = id}); },
      .snapshot_written = [this](core::SnapshotId id, bool ok,
                                 std::int64_t size) { post(core::SnapshotWritten{.id = id, .ok = ok, .size = size}); },
      .snapshot_part_written =
          [this](core::SnapshotId id, bool ok, bool installed) {
            post(core::SnapshotPartWritten{.id = id, .ok = ok, .installed = installed});
          },
      .log_start_moved = [this](Offset start) { post(core::LogStartMoved{.start = start}); },
      .failed = [this](std::string reason) { fail(std::move(reason)); },
      .note = [this](const std::string& line) { log_line_(core::LogLine::Level::warn, line); }};
}

NetEvents Driver::net_events() {
  NetEvents events{
      .arrived = [this](const core::Request& request) { on_arrived(request); },
      .request = [this](const core::Request& request) { on_request(request); },
      .closed = [this](core::ConnectionId connection) { post(core::ConnectionClosed{.connection = connection}); }};
  if (shards_in_all_ == 1) return events;
  events.owner = [this](const core::Request& request) { return shards_->owner_of(request); };
  events.handed_over = [this](Handover&& handover) { shards_->hand_over(std::move(handover)); };
  return events;
}

PeerEvents Driver::peer_events() {
  return {.replied = [this](const core::PeerReply& reply) {
    HAYWARD_ASSERT(!stepping_ || reply.body.empty(), "an answer from inside a call to the peers");
    post(reply);
  }};
}

void Driver::attach(const Attached& attached) {
  log_ = &attached.log;
  net_ = &attached.net;
  peers_ = attached.peers;
  shards_ = attached.shards;
  if (shards_ == nullptr) return;
  shards_->attach(attached.net);
  shards_->set_log_end(log_end_);
  net_ = shards_;
}

void Driver::start() {
  HAYWARD_ASSERT(log_ != nullptr && net_ != nullptr, "attach comes before start");
  stepping_ = true;
  controller_.start(now(), effects_);
  carry_out();
  step_waiting();
  stepping_ = false;
}

// --- the turn

bool Driver::run_once(bool wait) {
  turn_begun_ = false;
  const bool busy = leases_.draining() || (shards_ != nullptr && (shards_->holds_expired() || shards_->has_mail()));
  const unsigned completions = port_.run_once(wait && !busy && outcome_ == Outcome::running);
  begin_turn();
  end_turn(completions);
  return outcome_ == Outcome::running;
}

// Before anything else in a turn: a stall moves every deadline before a heartbeat is counted.
void Driver::begin_turn() {
  if (std::exchange(turn_begun_, true)) return;
  const std::int64_t gap_ns = leases_.begin_turn({port_.now_ns()});
  if (gap_ns > 0) {
    log_line_(core::LogLine::Level::warn, "this process stood still for " + std::to_string(gap_ns / 1'000'000) +
                                              " ms: broker sessions are extended by as much");
  }
  if (shards_ != nullptr) receive();
}

// Requests in the mail refer to it, so this is never from inside a step.
void Driver::receive() {
  HAYWARD_ASSERT(!stepping_, "a turn begins before its first step");
  shards_->receive({port_.now_ns()},
                   {.event = [this](core::Event event) { post(std::move(event)); },
                    .request = [this](const core::Request& request) { post(request); }});
}

void Driver::end_turn(unsigned completions) {
  const MonoTime now{port_.now_ns()};
  core::ShardLeases::Mail mail = leases_.end_turn(completions, now);
  if (mail.contacts) post(std::move(*mail.contacts));
  if (mail.expired) post(std::move(*mail.expired));
  if (shards_ != nullptr) {
    for (core::LeasesExpired& expired : shards_->take_expired(completions, now)) post(std::move(expired));
    if (!shards_->flush()) retry_timer_.set_if_earlier(port_.now_ns() + mailbox_retry_ns);
  }
  // While draining the loop does not wait; a timer of ours would only look like input.
  if (!leases_.draining()) lease_timer_.set(leases_.next_wake().ns);
}

void Driver::on_node_timer() { post(core::Tick{}); }

// --- events in

// Touch first: before the request may wait for anything.
void Driver::on_arrived(const core::Request& request) {
  begin_turn();
  if (shards_ != nullptr)
    shards_->touch(request);
  else
    leases_.touch(request, log_end_);
}

// A steady heartbeat never comes to the controller; one that does comes behind what others have told.
void Driver::on_request(const core::Request& request) {
  HAYWARD_ASSERT(!stepping_, "a request from inside a call to the net");
  if (outcome_ != Outcome::running || winding_up_) return;
  begin_turn();
  if (const auto* answer = leases_.answer(request, {port_.now_ns()})) {
    net_->reply_small(request.connection, *answer);
    return;
  }
  if (request.api_key == core::broker_heartbeat_api_key) {
    if (std::optional<core::BrokerContacts> contacts = leases_.take_contacts()) post(std::move(*contacts));
  }
  post(request);
}

void Driver::post(core::Event event) {
  if (!stepping_) begin_turn();
  if (outcome_ != Outcome::running || winding_up_) return;
  if (stepping_) {
    waiting_.push_back(std::move(event));
    return;
  }
  stepping_ = true;
  step(event);
  step_waiting();
  stepping_ = false;
}

void Driver::step_waiting() {
  while (!waiting_.empty()) {
    const core::Event next = std::move(waiting_.front());
    waiting_.pop_front();
    step(next);
  }
}

void Driver::step(const core::Event& event) {
  if (outcome_ != Outcome::running || winding_up_) return;
  controller_.step(now(), event, effects_);
  carry_out();
}

void Driver::stop() { post(core::Stop{}); }

// --- effects out

void Driver::carry_out() {
  for (core::Effect& effect : effects_) {
    if (outcome_ != Outcome::running) break;
    carry_out(effect);
  }
  effects_.clear();
}

void Driver::carry_out(core::Effect& effect) {
  if (shards_ != nullptr ? shards_->order(effect) : leases_.apply(effect)) return;
  if (auto* append = std::get_if<core::Append>(&effect)) {
    set_log_end(Offset{append->batch->last.value + 1});
    log_->append(std::move(append->batch));
  } else if (auto* persist = std::get_if<core::PersistQuorumState>(&effect)) {
    log_->persist_quorum_state(persist->state, persist->token);
  } else if (auto* truncate = std::get_if<core::Truncate>(&effect)) {
    set_log_end(truncate->end);
    log_->truncate(truncate->end);
  } else if (auto* reply = std::get_if<core::Reply>(&effect)) {
    net_->reply(reply->connection, std::move(reply->bytes), reply->throttle_ms);
  } else if (auto* records = std::get_if<core::ReplyWithRecords>(&effect)) {
    reply_with_records(*records);
  } else if (auto* bytes = std::get_if<core::ReplyWithSnapshotBytes>(&effect)) {
    reply_with_snapshot(*bytes);
  } else if (auto* close = std::get_if<core::CloseConnection>(&effect)) {
    net_->close_connection(close->connection, close->reason);
  } else if (auto* send = std::get_if<core::SendToPeer>(&effect)) {
    send_to_peer(*send);
  } else if (auto* snapshot = std::get_if<core::WriteSnapshot>(&effect)) {
    log_->write_snapshot(std::move(*snapshot));
  } else if (auto* part = std::get_if<core::WriteSnapshotPart>(&effect)) {
    log_end_ = part->last ? part->id.end : log_end_;
    log_->write_snapshot_part(std::move(*part));
  } else if (auto* timer = std::get_if<core::ArmTimer>(&effect)) {
    node_timer_.set(timer->at.ns);
  } else if (auto* line = std::get_if<core::LogLine>(&effect)) {
    log_line_(line->level, line->text);
  } else if (auto* failure = std::get_if<core::Fail>(&effect)) {
    fail(std::move(failure->reason));
  } else if (std::holds_alternative<core::Stopped>(effect)) {
    wind_up();
  } else {
    HAYWARD_ASSERT(false, "an effect that no one carries out");
  }
}

void Driver::send_to_peer(core::SendToPeer& send) {
  if (peers_ != nullptr) return peers_->send(std::move(send));
  post(core::PeerReply{.peer = send.peer, .api_key = send.api_key, .api_version = send.api_version, .token = send.token,
                       .failed = true, .refused = false, .highest_version = -1, .body = {}});
}

void Driver::set_log_end(Offset end) {
  log_end_ = end;
  if (shards_ != nullptr) shards_->set_log_end(end);
}

LogPort::ReadDone Driver::answer(core::ConnectionId connection, Buffer head, Buffer tail, bool compact_length) {
  return [this, connection, head = std::move(head), tail = std::move(tail), compact_length](bool ok,
                                                                                            LogSlice slice) mutable {
    if (ok)
      net_->reply_with_slice(connection, std::move(head), std::move(slice), std::move(tail), compact_length);
    else
      net_->close_connection(connection, "what it asked for can no longer be read");
  };
}

void Driver::reply_with_records(core::ReplyWithRecords& reply) {
  LogPort::ReadDone done = answer(reply.connection, std::move(reply.head), std::move(reply.tail), reply.compact_length);
  if (reply.from >= reply.to)
    done(true, {});
  else
    log_->read(reply.from, reply.to, reply.max_bytes, std::move(done));
}

void Driver::reply_with_snapshot(core::ReplyWithSnapshotBytes& reply) {
  LogPort::ReadDone done = answer(reply.connection, std::move(reply.head), std::move(reply.tail), true);
  if (reply.length <= 0)
    done(true, {});
  else
    log_->read_snapshot(reply.id, reply.position, reply.length, std::move(done));
}

// --- ends

void Driver::wind_up() {
  if (std::exchange(winding_up_, true)) return;
  if (peers_ != nullptr) peers_->stop();
  net_->stop([this] {
    log_->close([this] {
      if (outcome_ == Outcome::running) outcome_ = Outcome::stopped;
    });
  });
}

void Driver::fail(std::string reason) {
  if (outcome_ != Outcome::running) return;
  outcome_ = Outcome::failed;
  failure_ = std::move(reason);
  log_line_(core::LogLine::Level::error, failure_);
}

}  // namespace hayward::driver

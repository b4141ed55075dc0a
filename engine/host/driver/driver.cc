// See driver.h.
#include "engine/host/driver/driver.h"

#include <utility>

#include "engine/core/lease/lease_mail.h"
#include "schemas/runtime/assert.h"

namespace hayward::driver {

Driver::Driver(ring::Port& port, std::int64_t session_timeout_ms, Offset log_end, Controller controller,
               LogLine log_line)
    : port_(port),
      controller_(std::move(controller)),
      log_line_(std::move(log_line)),
      leases_(ms_to_ns(session_timeout_ms), MonoTime{port.now_ns()}),
      turn_at_{port.now_ns()},
      drain_limit_ns_(ms_to_ns(session_timeout_ms) / 4),
      long_turn_ns_(ms_to_ns(session_timeout_ms) / 64),
      log_end_(log_end),
      node_timer_(
          port, [](void* owner) { static_cast<Driver*>(owner)->on_node_timer(); }, this),
      lease_timer_(port, [](void*) {}, this) {}

LogEvents Driver::log_events() {
  return {
      .flushed = [this](Offset end) { post(core::Flushed{.end = end}); },
      .quorum_state_persisted = [this](std::uint64_t token) { post(core::QuorumStatePersisted{.token = token}); },
      .snapshot_chunk_written = [this](core::SnapshotId id) { post(core::SnapshotChunkWritten{.id = id}); },
      .snapshot_written = [this](core::SnapshotId id, bool ok,
                                 std::int64_t size) { post(core::SnapshotWritten{.id = id, .ok = ok, .size = size}); },
      .log_start_moved = [this](Offset start) { post(core::LogStartMoved{.start = start}); },
      .failed = [this](std::string reason) { fail(std::move(reason)); },
      .note = [this](const std::string& line) { log_line_(core::LogLine::Level::warn, line); }};
}

NetEvents Driver::net_events() {
  return {.arrived =
              [this](const core::Request& request) {
                begin_turn();
                core::touch_lease(leases_, cluster_access_, request, log_end_);
              },
          .request =
              [this](const core::Request& request) {
                HAYWARD_ASSERT(!stepping_, "a request from inside a call to the net");
                post(request);
              },
          .closed = [this](core::ConnectionId connection) { post(core::ConnectionClosed{.connection = connection}); }};
}

void Driver::attach(LogPort& log, NetPort& net) {
  log_ = &log;
  net_ = &net;
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
  const unsigned completions = port_.run_once(wait && !drain_until_ns_ && outcome_ == Outcome::running);
  begin_turn();
  const std::int64_t now_ns = port_.now_ns();
  if (drain_until_ns_) {
    // The turn that ends a drain lets leases run out, however long it was: one long turn after another must not
    // put off a dead broker's fencing for ever.
    if (completions == 0 || now_ns >= *drain_until_ns_) drain_until_ns_.reset();
  } else if (now_ns - turn_at_.ns > long_turn_ns_) {
    drain_until_ns_ = now_ns + drain_limit_ns_;
  }
  if (!drain_until_ns_) {  // while draining the loop does not wait; a timer of ours would only look like input
    expire_leases();
    lease_timer_.set(leases_.next_wake().ns);
  }
  return outcome_ == Outcome::running;
}

// Before anything else in a turn: a stall moves every deadline before a heartbeat is counted.
void Driver::begin_turn() {
  if (turn_begun_) return;
  turn_begun_ = true;
  turn_at_ = {port_.now_ns()};
  const std::int64_t gap_ns = leases_.observe(turn_at_);
  if (gap_ns == 0) return;
  drain_until_ns_ = turn_at_.ns + drain_limit_ns_;
  log_line_(core::LogLine::Level::warn, "this process stood still for " + std::to_string(gap_ns / 1'000'000) +
                                            " ms: broker sessions are extended by as much");
}

// As of the turn's begin: what came in since may hold a heartbeat that is not reaped yet.
void Driver::expire_leases() {
  if (std::optional<core::LeasesExpired> expired = leases_.expire(turn_at_)) post(std::move(*expired));
}

void Driver::on_node_timer() { post(core::Tick{}); }

// --- events in

void Driver::post(core::Event event) {
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
  begin_turn();
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
  if (core::apply_lease_order(leases_, cluster_access_, effect)) return;
  if (auto* append = std::get_if<core::Append>(&effect)) {
    log_end_ = Offset{append->batch->last.value + 1};
    log_->append(std::move(append->batch));
  } else if (auto* persist = std::get_if<core::PersistQuorumState>(&effect)) {
    log_->persist_quorum_state(persist->state, persist->token);
  } else if (auto* truncate = std::get_if<core::Truncate>(&effect)) {
    log_end_ = truncate->end;
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
    // Connections to other controllers come with the quorum; to this one every peer is unreachable.
    post(core::PeerReply{.peer = send->peer,
                         .api_key = send->api_key,
                         .api_version = send->api_version,
                         .token = send->token,
                         .failed = true,
                         .body = {}});
  } else if (auto* snapshot = std::get_if<core::WriteSnapshot>(&effect)) {
    log_->write_snapshot(std::move(*snapshot));
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

// See sim_controller.h.
#include "sim_controller.h"

#include <algorithm>
#include <utility>

#include "engine/core/control/served.h"
#include "engine/core/lease/lease_mail.h"
#include "schemas/messages/request_header.h"

namespace hayward::sim {
namespace {

Buffer joined(const Buffer& head, const Buffer& slice, const Buffer& tail, bool compact_length) {
  Buffer length(10);
  Writer writer(length);
  writer.write_count(static_cast<std::int64_t>(slice.size()), compact_length);
  length.resize(writer.written());
  Buffer all = head;
  all.insert(all.end(), length.begin(), length.end());
  all.insert(all.end(), slice.begin(), slice.end());
  all.insert(all.end(), tail.begin(), tail.end());
  return all;
}

}  // namespace

SimController::SimController(core::NodeConfig config, std::uint64_t seed, Watch watch)
    : config_(std::move(config)), watch_(std::move(watch)), log_(seed) {}

void SimController::start(std::int64_t now_ns) {
  const core::LogState state = log_.state();
  ++config_.random_seed;  // each process draws its own
  node_ = std::make_unique<core::Node>(config_, state);
  leases_ = std::make_unique<core::LeaseTable>(config_.broker_session_timeout_ms * std::int64_t{1'000'000}, MonoTime{now_ns});
  load();
  core::Effects effects;
  node_->start(time(now_ns), effects);
  for (const core::Effect& effect : effects) carry_out(effect, now_ns);
}

void SimController::load() {
  const auto note = [&](const std::expected<void, std::string>& loaded) {
    if (!loaded && !failure_) failure_ = loaded.error();
  };
  const core::LogState state = log_.state();
  Offset from{0};
  if (const auto* snapshot = log_.newest_snapshot()) {
    for (const Buffer& batch : *snapshot) note(node_->load_snapshot(batch));
    from = state.snapshots.back().id.end;
  }
  for (const BatchPtr& batch : log_.batches()) {
    if (batch->base >= from) note(node_->load_batch(batch->bytes));
  }
}

void SimController::crash() {
  node_.reset();
  leases_.reset();
  log_.crash();
  inputs_.clear();
  waiting_.clear();
  busy_until_ns_ = 0;
  node_timer_ns_ = INT64_MAX;
}

void SimController::deliver(core::ConnectionId connection, Buffer frame) {
  if (running()) inputs_.push_back({connection, std::move(frame)});
}

void SimController::disconnect(core::ConnectionId connection) {
  if (running()) inputs_.push_back({connection, std::nullopt});
}

std::int64_t SimController::next_wake_ns() const {
  if (!running()) return INT64_MAX;
  std::int64_t wake_ns = std::min({node_timer_ns_, log_.next_completion_ns(), leases_->next_wake().ns});
  if (!waiting_.empty()) wake_ns = std::min(wake_ns, busy_until_ns_);
  return wake_ns;
}

void SimController::turn(std::int64_t now_ns) {
  const std::int64_t stall_ns = leases_->observe({now_ns});
  if (watch_.turn) watch_.turn(stall_ns);
  reap(now_ns);
  if (auto expired = leases_->expire({now_ns})) {
    if (watch_.expired) watch_.expired(*expired);
    waiting_.push_back({std::move(*expired), {}});
  }
  if (node_timer_ns_ <= now_ns) {
    node_timer_ns_ = INT64_MAX;
    waiting_.push_back({core::Tick{}, {}});
  }
  while (!waiting_.empty() && now_ns >= busy_until_ns_ && running()) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    step(next.event, now_ns);
  }
}

void SimController::reap(std::int64_t now_ns) {
  for (core::Event& event : log_.take_completions(now_ns)) waiting_.push_back({std::move(event), {}});
  while (!inputs_.empty()) {
    Input input = std::move(inputs_.front());
    inputs_.pop_front();
    if (input.frame) reap_request(input.connection, std::move(*input.frame), now_ns);
    else waiting_.push_back({core::ConnectionClosed{input.connection}, {}});
  }
}

// What is not served ends the connection, as net does it.
void SimController::reap_request(core::ConnectionId connection, Buffer frame, std::int64_t now_ns) {
  waiting_.push_back({core::Tick{}, std::move(frame)});
  Waiting& waiting = waiting_.back();
  Reader reader(waiting.bytes);
  Arena arena;
  messages::RequestHeader header;
  const bool readable = decode(reader, 2, arena, header);
  if (!readable || !core::is_served(header.request_api_key, header.request_api_version)) {
    waiting_.pop_back();
    return close(connection);
  }
  core::Request request;
  request.connection = connection;
  request.api_key = header.request_api_key;
  request.api_version = header.request_api_version;
  request.correlation_id = header.correlation_id;
  request.client_id = header.client_id;
  request.body = reader.rest();
  request.arrival = {now_ns};
  request.listener = "CONTROLLER";
  if (watch_.arrived) watch_.arrived(request);
  core::touch_lease(*leases_, cluster_access_, request, log_.end());
  waiting.event = request;
}

void SimController::step(const core::Event& event, std::int64_t now_ns) {
  trace_.add(static_cast<std::uint64_t>(now_ns));
  trace_.add(event.index());
  core::Effects effects;
  node_->step(time(now_ns), event, effects);
  if (watch_.stepped) watch_.stepped(event, effects);
  for (const core::Effect& effect : effects) carry_out(effect, now_ns);
}

void SimController::carry_out(const core::Effect& effect, std::int64_t now_ns) {
  if (core::apply_lease_order(*leases_, cluster_access_, effect)) return;
  if (const auto* append = std::get_if<core::Append>(&effect)) {
    trace_.add(append->batch->bytes);
    log_.append(append->batch, now_ns);
  } else if (const auto* persist = std::get_if<core::PersistQuorumState>(&effect)) {
    log_.persist(persist->state, persist->token, now_ns);
  } else if (const auto* answer = std::get_if<core::Reply>(&effect)) {
    reply(answer->connection, answer->bytes);
  } else if (const auto* records = std::get_if<core::ReplyWithRecords>(&effect)) {
    const Buffer slice = log_.read(records->from, records->to, records->max_bytes);
    reply(records->connection, joined(records->head, slice, records->tail, records->compact_length));
  } else if (const auto* chunk = std::get_if<core::ReplyWithSnapshotBytes>(&effect)) {
    const Buffer slice = log_.read_snapshot(chunk->id, chunk->position, chunk->length);
    reply(chunk->connection, joined(chunk->head, slice, chunk->tail, true));
  } else if (const auto* closing = std::get_if<core::CloseConnection>(&effect)) {
    close(closing->connection);
  } else if (const auto* snapshot = std::get_if<core::WriteSnapshot>(&effect)) {
    log_.write_snapshot(*snapshot, now_ns);
  } else if (const auto* timer = std::get_if<core::ArmTimer>(&effect)) {
    node_timer_ns_ = timer->at.ns;
  } else if (const auto* line = std::get_if<core::LogLine>(&effect)) {
    if (line->level == core::LogLine::Level::error && !failure_) failure_ = line->text;
  } else if (const auto* failed = std::get_if<core::Fail>(&effect)) {
    if (!failure_) failure_ = failed->reason;
  } else if (!failure_) {
    failure_ = "an effect that a lone controller has no use for";
  }
}

void SimController::reply(core::ConnectionId connection, Bytes frame) {
  trace_.add(frame);
  if (watch_.replied) watch_.replied(connection, frame);
}

void SimController::close(core::ConnectionId connection) {
  if (watch_.closed) watch_.closed(connection);
}

}  // namespace hayward::sim

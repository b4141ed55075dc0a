// See sim_controller.h.
#include "sim_controller.h"

#include <algorithm>
#include <utility>

#include "engine/core/lease/lease_mail.h"

namespace hayward::sim {
namespace {

// A loop that drains does not wait: its next turn comes at once.
constexpr std::int64_t drain_turn_ns = 1000;

}  // namespace

SimController::SimController(core::NodeConfig config, std::uint16_t shards, std::uint64_t seed, Watch watch)
    : config_(std::move(config)),
      settings_{config_.broker_session_timeout_ms, config_.fetch_timeout_ms, shards},
      prng_(seed),
      watch_(std::move(watch)),
      log_(seed) {
  shard_watch_ = {.turn = watch_.turn,
                  .arrived = watch_.arrived,
                  .mailed = watch_.mailed,
                  .replied = [this](core::ConnectionId connection, Bytes frame) { reply(connection, frame); },
                  .closed = [this](core::ConnectionId connection) { close(connection); },
                  .adopted =
                      [this](std::uint32_t slot) {
                        Place& place = places_[slot];
                        place.under_way = false;
                        for (auto& frame : place.waiting) others_[place.shard - 1u]->deliver(slot, std::move(frame));
                        place.waiting.clear();
                      }};
}

void SimController::start(std::int64_t now_ns) {
  const core::LogState state = log_.state();
  ++config_.random_seed;  // each process draws its own
  node_ = std::make_unique<core::Node>(config_, state);
  leases_ = std::make_unique<core::ShardLeases>(config_.broker_session_timeout_ms, config_.fetch_timeout_ms, MonoTime{now_ns});
  load();
  if (settings_.shards > 1) start_shards(now_ns);
  core::Effects effects;
  node_->start(time(now_ns), effects);
  for (const core::Effect& effect : effects) carry_out(effect, now_ns);
}

void SimController::start_shards(std::int64_t now_ns) {
  std::vector<driver::ShardSet::Other> ends;
  for (std::uint16_t index = 1; index < settings_.shards; ++index) {
    links_.push_back(std::make_unique<driver::ShardLink>());
    others_.push_back(std::make_unique<SimShard>(settings_, index, *links_.back(), log_end_, prng_.next(), shard_watch_,
                                                 now_ns));
    ends.push_back({*links_.back(), [] {}});
  }
  set_ = std::make_unique<driver::ShardSet>(settings_, std::move(ends), log_end_);
  net_ = std::make_unique<SimNet>();
  net_->replied = shard_watch_.replied;
  net_->closed = shard_watch_.closed;
  set_->attach(*net_);
  set_->set_log_end(log_.end());
}

void SimController::pause_shard(std::uint16_t index, std::int64_t until_ns) {
  if (running()) others_[index - 1u]->pause(until_ns);
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

std::uint64_t SimController::fetches_beside() const {
  std::uint64_t answered = earlier_fetches_beside_;
  for (const auto& other : others_) answered += other->fetches().answered();
  return answered;
}

void SimController::crash() {
  earlier_fetches_beside_ = fetches_beside();
  node_.reset();
  leases_.reset();
  set_.reset();
  others_.clear();
  links_.clear();
  net_.reset();
  places_.clear();
  log_.crash();
  inputs_.clear();
  waiting_.clear();
  busy_until_ns_ = 0;
  node_timer_ns_ = INT64_MAX;
}

void SimController::deliver(core::ConnectionId connection, Buffer frame) { put_in(connection, std::move(frame)); }

void SimController::disconnect(core::ConnectionId connection) { put_in(connection, std::nullopt); }

void SimController::put_in(core::ConnectionId connection, std::optional<Buffer> frame) {
  if (!running()) return;
  const auto place = places_.find(connection.slot);
  if (place == places_.end())
    inputs_.push_back({connection, std::move(frame)});
  else if (place->second.under_way)
    place->second.waiting.push_back(std::move(frame));
  else
    others_[place->second.shard - 1u]->deliver(connection.slot, std::move(frame));
}

std::int64_t SimController::next_wake_ns() const {
  if (!running()) return INT64_MAX;
  if (leases_->draining() || (set_ && set_->holds_expired())) return drain_ns_;
  std::int64_t wake_ns = std::min({node_timer_ns_, log_.next_completion_ns(), leases_->next_wake().ns});
  if (!waiting_.empty()) wake_ns = std::min(wake_ns, busy_until_ns_);
  for (const auto& other : others_) wake_ns = std::min(wake_ns, other->next_wake_ns());
  return wake_ns;
}

void SimController::turn(std::int64_t now_ns) {
  for (const auto& other : others_) other->run(now_ns);
  const std::int64_t stall_ns = leases_->begin_turn({now_ns});
  if (watch_.turn) watch_.turn(0, stall_ns);
  if (set_) receive_mail(now_ns);
  end_turn(reap(now_ns), now_ns);
  if (node_timer_ns_ <= now_ns) {
    node_timer_ns_ = INT64_MAX;
    waiting_.push_back({core::Tick{}, {}});
  }
  while (!waiting_.empty() && now_ns >= busy_until_ns_ && running()) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    step(next.event, now_ns);
  }
  if (set_) set_->flush();
  for (const auto& other : others_) other->run(now_ns);  // its mail is under way from now
}

void SimController::receive_mail(std::int64_t now_ns) {
  set_->receive({now_ns}, {.event = [this](core::Event event) { waiting_.push_back({std::move(event), {}}); },
                           .request = [this](const core::Request& request) { queue_request(request); }});
}

// A copy of the request, with what its spans refer to.
void SimController::queue_request(const core::Request& request) {
  waiting_.push_back({core::Tick{}, Buffer(request.body.begin(), request.body.end())});
  core::Request copy = request;
  copy.body = waiting_.back().bytes;
  copy.client_id = "model-broker";
  waiting_.back().event = copy;
}

void SimController::end_turn(unsigned reaped, std::int64_t now_ns) {
  core::ShardLeases::Mail mail = leases_->end_turn(reaped, {now_ns});
  if (mail.contacts) waiting_.push_back({std::move(*mail.contacts), {}});
  if (mail.expired) {
    if (watch_.mailed) watch_.mailed(*mail.expired);
    pass_on(std::move(*mail.expired));
  }
  if (set_) {
    for (core::LeasesExpired& expired : set_->take_expired(reaped, {now_ns})) pass_on(std::move(expired));
  }
  drain_ns_ = now_ns + drain_turn_ns;
}

void SimController::pass_on(core::LeasesExpired expired) {
  if (watch_.expired) watch_.expired(expired);
  waiting_.push_back({std::move(expired), {}});
}

unsigned SimController::reap(std::int64_t now_ns) {
  const auto reaped = static_cast<unsigned>(inputs_.size());
  for (core::Event& event : log_.take_completions(now_ns)) waiting_.push_back({std::move(event), {}});
  while (!inputs_.empty()) {
    Input input = std::move(inputs_.front());
    inputs_.pop_front();
    if (input.frame) reap_request(input.connection, std::move(*input.frame), now_ns);
    else waiting_.push_back({core::ConnectionClosed{input.connection}, {}});
  }
  return reaped;
}

// What is not served ends the connection, as net does it.
void SimController::reap_request(core::ConnectionId connection, Buffer frame, std::int64_t now_ns) {
  const auto request = read_request(connection, frame, {now_ns});
  if (!request) return close(connection);
  if (watch_.arrived) watch_.arrived(0, *request);
  if (set_) {
    set_->touch(*request);
    if (const auto owner = set_->owner_of(*request)) {
      places_[connection.slot].shard = *owner;
      set_->hand_over({.to = *owner,
                       .fd = static_cast<int>(connection.slot),
                       .listener = {},
                       .address = {},
                       .unread = std::move(frame),
                       .arrivals = {{now_ns}}});
      return;
    }
    return queue_request(*request);
  }
  leases_->touch(*request, log_.end());
  if (const auto* answer = leases_->answer(*request, {now_ns})) {
    const core::SteadyHeartbeats::Answer bytes = *answer;
    return reply(connection, bytes);
  }
  if (request->api_key == core::broker_heartbeat_api_key) {
    if (auto contacts = leases_->take_contacts()) waiting_.push_back({std::move(*contacts), {}});
  }
  queue_request(*request);
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
  if (set_ ? set_->order(effect) : leases_->apply(effect)) return;
  if (const auto* append = std::get_if<core::Append>(&effect)) {
    trace_.add(append->batch->bytes);
    log_.append(append->batch, now_ns);
    if (set_) set_->set_log_end(log_.end());
  } else if (const auto* persist = std::get_if<core::PersistQuorumState>(&effect)) {
    log_.persist(persist->state, persist->token, now_ns);
  } else if (const auto* answer = std::get_if<core::Reply>(&effect)) {
    send(answer->connection, answer->bytes);
  } else if (const auto* records = std::get_if<core::ReplyWithRecords>(&effect)) {
    const Buffer slice = log_.read(records->from, records->to, records->max_bytes);
    send(records->connection, joined(records->head, slice, records->tail, records->compact_length));
  } else if (const auto* chunk = std::get_if<core::ReplyWithSnapshotBytes>(&effect)) {
    const Buffer slice = log_.read_snapshot(chunk->id, chunk->position, chunk->length);
    send(chunk->connection, joined(chunk->head, slice, chunk->tail, true));
  } else if (const auto* closing = std::get_if<core::CloseConnection>(&effect)) {
    if (set_) set_->close_connection(closing->connection, closing->reason);
    else close(closing->connection);
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

void SimController::send(core::ConnectionId connection, Buffer frame) {
  if (set_) set_->reply(connection, std::move(frame), 0);
  else reply(connection, frame);
}

void SimController::reply(core::ConnectionId connection, Bytes frame) {
  trace_.add(frame);
  if (watch_.replied) watch_.replied(connection, frame);
}

void SimController::close(core::ConnectionId connection) {
  if (watch_.closed) watch_.closed(connection);
}

}  // namespace hayward::sim

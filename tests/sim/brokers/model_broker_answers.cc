// See model_broker.h: what it makes of answers.
#include <algorithm>

#include "frames.h"
#include "model_broker.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/fetch_snapshot_response.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t starting_interval_ms = 10;
constexpr std::int64_t first_shutdown_retry_ms = 50;
constexpr std::int64_t fetch_retry_ms = 50;

}  // namespace

void ModelBroker::receive(Channel channel, std::uint32_t connection, Bytes frame, std::int64_t now_ms) {
  Line& line = this->line(channel);
  if (!alive() || !line.in_flight || line.connection != connection) return;
  line.in_flight = false;
  arena_.reset();
  switch (line.api_key) {
    case messages::BrokerRegistrationRequest::api_key: return on_registration(frame, now_ms);
    case messages::BrokerHeartbeatRequest::api_key: return on_heartbeat(frame, now_ms);
    case messages::FetchRequest::api_key: return on_fetch(frame, now_ms);
    case messages::FetchSnapshotRequest::api_key: return on_fetch_snapshot(frame, now_ms);
    default: return;  // AlterPartition: what came of it is read from the log
  }
}

void ModelBroker::on_registration(Bytes frame, std::int64_t now_ms) {
  Line& line = this->line(Channel::heartbeat);
  messages::BrokerRegistrationResponse response;
  if (!read_response(frame, 4, line.correlation_id, arena_, response)) return fail("an unreadable registration answer");
  registration_error_ = response.error_code;
  line.next_ms = now_ms + options_.heartbeat_interval_ms;
  if (response.error_code != ErrorCode::none) {
    if (response.broker_epoch != BrokerEpoch{-1}) fail("an epoch together with an error");
    return;
  }
  epoch_ = response.broker_epoch;
  line.next_ms = now_ms;
  state_ = State::starting;
}

void ModelBroker::on_heartbeat(Bytes frame, std::int64_t now_ms) {
  Line& line = this->line(Channel::heartbeat);
  messages::BrokerHeartbeatResponse response;
  if (!read_response(frame, 2, line.correlation_id, arena_, response)) return fail("an unreadable heartbeat answer");
  heartbeat_error_ = response.error_code;
  line.next_ms = now_ms + options_.heartbeat_interval_ms;
  if (response.error_code != ErrorCode::none) return;
  told_unfenced_ = !response.is_fenced;
  if (response.should_shut_down && state_ != State::shutting_down) return fail("told to stop without having asked");
  switch (state_) {
    case State::starting:
      if (response.is_caught_up) on_caught_up(now_ms);
      else line.next_ms = now_ms + starting_interval_ms;
      break;
    case State::recovering: line.next_ms = std::max(now_ms, recovered_ms_); break;
    case State::shutting_down:
      if (response.should_shut_down) state_ = State::stopped;
      else if (shutdown_requests_++ == 0) line.next_ms = now_ms + first_shutdown_retry_ms;
      break;
    default: break;
  }
}

void ModelBroker::on_caught_up(std::int64_t now_ms) {
  const auto* own = view_.broker(options_.id);
  if (own == nullptr || own->epoch != epoch_) {
    // Unless it lied about its offset.
    if (honest_) fail("caught up, says the answer, but it has not read its own registration");
    line(Channel::heartbeat).next_ms = now_ms + starting_interval_ms;
    return;
  }
  state_ = State::recovering;
  recovered_ms_ = now_ms + options_.recovery_ms;
  line(Channel::heartbeat).next_ms = now_ms + starting_interval_ms;
}

void ModelBroker::on_fetch(Bytes frame, std::int64_t now_ms) {
  Line& line = this->line(Channel::fetch);
  messages::FetchResponse response;
  if (!read_response(frame, 18, line.correlation_id, arena_, response)) return fail("an unreadable fetch answer");
  line.next_ms = now_ms + fetch_retry_ms;
  if (response.error_code != ErrorCode::none || response.responses.size() != 1) return;
  if (response.responses[0].partitions.size() != 1) return fail("a fetch answer without its partition");
  const auto& partition = response.responses[0].partitions[0];
  if (!partition.records) return fail("P11: null records");
  const Epoch asked_in = leader_epoch_;
  if (partition.current_leader.leader_epoch > leader_epoch_) leader_epoch_ = partition.current_leader.leader_epoch;
  if (partition.error_code != ErrorCode::none) return;
  line.next_ms = now_ms;
  if (partition.snapshot_id.end_offset != no_offset) {
    snapshot_ = Snapshot{partition.snapshot_id.end_offset, partition.snapshot_id.epoch, 0, {}};
    return;
  }
  if (partition.diverging_epoch.end_offset != no_offset) {
    return truncate(partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset);
  }
  take_records(*partition.records, asked_in);
  const bool known = partition.high_watermark >= Offset{0};
  if (known && partition.high_watermark < high_watermark_) return fail("P12: the high watermark goes back");
  apply_up_to(partition.high_watermark);
}

void ModelBroker::take_records(Bytes records, Epoch asked_in) {
  while (!records.empty()) {
    const auto header = check_batch(records);
    if (!header) return fail("a fetched batch is broken: " + std::string(name(header.error())));
    const Bytes batch = records.first(header->size());
    if (header->last_offset() >= fetch_offset_) {
      if (header->base_offset != fetch_offset_) return fail("a gap in the fetched log");
      if (header->epoch > asked_in) return fail("P9: a batch of an epoch above the fetch's");
      if (header->epoch < last_fetched_epoch_) return fail("epochs fall in the fetched log");
      pending_.push_back({header->base_offset, header->last_offset(), header->epoch, {batch.begin(), batch.end()}});
      fetch_offset_ = Offset{header->last_offset().value + 1};
      last_fetched_epoch_ = header->epoch;
    }
    records = records.subspan(header->size());
  }
}

void ModelBroker::apply_up_to(Offset high_watermark) {
  if (high_watermark > high_watermark_) high_watermark_ = high_watermark;
  while (!pending_.empty() && pending_.front().last < high_watermark_) {
    view_.apply(pending_.front().bytes);
    pending_.pop_front();
  }
}

void ModelBroker::truncate(Epoch epoch, Offset end) {
  while (!pending_.empty() && (pending_.back().epoch > epoch || pending_.back().base >= end)) {
    fetch_offset_ = pending_.back().base;
    pending_.pop_back();
  }
  if (fetch_offset_ > end) return fail("P6: told to truncate below its high watermark");
  if (!pending_.empty()) last_fetched_epoch_ = pending_.back().epoch;
  else last_fetched_epoch_ = epoch;
}

void ModelBroker::on_fetch_snapshot(Bytes frame, std::int64_t now_ms) {
  Line& line = this->line(Channel::fetch);
  messages::FetchSnapshotResponse response;
  if (!read_response(frame, 1, line.correlation_id, arena_, response)) return fail("an unreadable snapshot answer");
  line.next_ms = now_ms + fetch_retry_ms;
  if (response.error_code != ErrorCode::none || response.topics.size() != 1 || response.topics[0].partitions.size() != 1) {
    snapshot_.reset();
    return;
  }
  const auto& partition = response.topics[0].partitions[0];
  if (partition.error_code != ErrorCode::none) {
    snapshot_.reset();
    return;
  }
  const bool same = partition.snapshot_id.end_offset == snapshot_->end && partition.snapshot_id.epoch == snapshot_->epoch;
  if (!same) return fail("P7: a chunk of another snapshot");
  if (partition.position != snapshot_->position) return fail("P7: a chunk from another position");
  const Bytes chunk = partition.unaligned_records.value_or(Bytes{});
  snapshot_->bytes.insert(snapshot_->bytes.end(), chunk.begin(), chunk.end());
  snapshot_->position += static_cast<std::int64_t>(chunk.size());
  line.next_ms = now_ms;
  if (snapshot_->position == partition.size) finish_snapshot();
}

void ModelBroker::finish_snapshot() {
  view_.load_snapshot(snapshot_->bytes, Offset{snapshot_->end.value - 1});
  pending_.clear();
  fetch_offset_ = snapshot_->end;
  last_fetched_epoch_ = snapshot_->epoch;
  high_watermark_ = std::max(high_watermark_, snapshot_->end);
  snapshot_.reset();
}

}  // namespace hayward::sim

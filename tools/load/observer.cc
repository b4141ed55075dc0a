// See observer.h.
#include "tools/load/observer.h"

#include <utility>

#include "schemas/batch/batch_reader.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/runtime/codec.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t high_watermark_since = 18;
constexpr std::int16_t snapshot_version = 1;
constexpr std::int32_t max_wait_ms = 100;
constexpr std::int32_t max_bytes = 1 << 20;
constexpr std::int64_t pause_ns = 50'000'000;
constexpr std::string_view metadata_topic = "__cluster_metadata";

// The bytes of the whole batches at the start of `bytes`, and the last one's header.
struct Whole {
  std::size_t size = 0;
  std::optional<BatchHeader> last;
};
Whole whole_batches(Bytes bytes) {
  Whole whole;
  while (const auto header = parse_batch_header(bytes.subspan(whole.size))) {
    if (header->size() > bytes.size() - whole.size) break;
    whole.size += header->size();
    whole.last = *header;
  }
  return whole;
}

}  // namespace

Observer::Observer(ring::Port& port, Line& line, NodeId id, const FetchTerms& terms, ObserverSink* sink)
    : port_(port), line_(line), id_(id), cluster_id_(terms.cluster_id), version_(terms.version), sink_(sink) {
  pause_.owner = this;
  pause_.handler = [](ring::Operation& o, const ring::Completion&) { static_cast<Observer*>(o.owner)->ask(); };
}

void Observer::start() {
  running_ = true;
  line_.use(this);
  ask();
}

void Observer::stop() {
  running_ = false;
  line_.use(nullptr);
}

void Observer::ask() {
  if (!running_ || !line_.ready() || pause_.in_flight) return;
  asked_ns_ = port_.now_ns();
  ++fetches_;
  arena_.reset();
  in_snapshot_ ? ask_for_snapshot() : ask_for_log();
}

void Observer::ask_for_log() {
  messages::FetchRequest request;
  request.cluster_id = cluster_id_;
  request.replica_state.replica_id = id_;
  request.max_wait_ms = max_wait_ms;
  request.max_bytes = max_bytes;
  auto& topic = request.topics.push_back(arena_);
  topic.topic_id = metadata_topic_id;
  auto& partition = topic.partitions.push_back(arena_);
  partition.current_leader_epoch = leader_epoch_;
  partition.fetch_offset = next_;
  partition.last_fetched_epoch = last_epoch_;
  if (version_ >= high_watermark_since) partition.high_watermark = high_watermark_;
  line_.send(load_frame(request, version_), ++correlation_id_);
}

void Observer::ask_for_snapshot() {
  messages::FetchSnapshotRequest request;
  request.cluster_id = cluster_id_;
  request.replica_id = id_;
  request.max_bytes = max_bytes;
  auto& topic = request.topics.push_back(arena_);
  topic.name = metadata_topic;
  auto& partition = topic.partitions.push_back(arena_);
  partition.current_leader_epoch = leader_epoch_;
  partition.snapshot_id.end_offset = snapshot_end_;
  partition.snapshot_id.epoch = snapshot_epoch_;
  partition.position = snapshot_position_;
  line_.send(load_frame(request, snapshot_version), ++correlation_id_);
}

// Something is wrong, or the leader not known yet: not at once again.
void Observer::pause() {
  ++errors_;
  if (!pause_.in_flight) port_.timeout(pause_, port_.now_ns() + pause_ns);
}

void Observer::on_answer(Line&, Bytes payload) {
  bytes_ += payload.size();
  arena_.reset();
  Reader reader(payload);
  const bool ours = reader.read_i32() == correlation_id_;
  skip_tagged_fields(reader);
  if (in_snapshot_) {
    messages::FetchSnapshotResponse response;
    if (ours && decode(reader, snapshot_version, arena_, response)) {
      take_snapshot(response);
    } else {
      pause();
    }
  } else {
    messages::FetchResponse response;
    if (ours && decode(reader, version_, arena_, response)) {
      take(response);
    } else {
      pause();
    }
  }
  const auto taken = std::exchange(taken_, std::nullopt);
  ask();  // first, so that the controller need not wait while the sink is at work
  if (sink_ == nullptr || !taken) return;
  sink_->on_batches(taken_batches_);
  sink_->on_fetched(*taken);
}

void Observer::take(const messages::FetchResponse& response) {
  if (response.responses.size() != 1 || response.responses[0].partitions.size() != 1) return pause();
  const auto& partition = response.responses[0].partitions[0];
  if (partition.current_leader.leader_epoch > leader_epoch_) {
    leader_epoch_ = partition.current_leader.leader_epoch;
    if (partition.error_code != ErrorCode::none) return;  // it may only have been the old epoch: ask again
  }
  if (partition.error_code != ErrorCode::none) return pause();
  if (partition.snapshot_id.end_offset.value >= 0) {
    return begin_snapshot(partition.snapshot_id.end_offset, partition.snapshot_id.epoch);
  }
  if (partition.diverging_epoch.epoch.value >= 0) {  // what was never committed is gone
    next_ = partition.diverging_epoch.end_offset;
    last_epoch_ = partition.diverging_epoch.epoch;
    return;
  }
  take_records(partition.records.value_or(Bytes{}), partition.high_watermark);
}

void Observer::take_records(Bytes records, Offset high_watermark) {
  const Whole whole = whole_batches(records);
  high_watermark_ = high_watermark;
  if (whole.last) {
    next_ = Offset{whole.last->last_offset().value + 1};
    last_epoch_ = whole.last->epoch;
  }
  taken_batches_ = records.first(whole.size);
  taken_ = {high_watermark, asked_ns_, port_.now_ns(), !whole.last && next_ >= high_watermark};
}

void Observer::begin_snapshot(Offset end, Epoch epoch) {
  in_snapshot_ = true;
  snapshot_end_ = end;
  snapshot_epoch_ = epoch;
  snapshot_position_ = 0;
  snapshot_rest_.clear();
}

void Observer::take_snapshot(const messages::FetchSnapshotResponse& response) {
  if (response.topics.size() != 1 || response.topics[0].partitions.size() != 1 ||
      response.topics[0].partitions[0].error_code != ErrorCode::none) {
    in_snapshot_ = false;  // from the beginning: the log may have a newer one
    return pause();
  }
  const auto& partition = response.topics[0].partitions[0];
  const Bytes chunk = partition.unaligned_records.value_or(Bytes{});
  snapshot_rest_.insert(snapshot_rest_.end(), chunk.begin(), chunk.end());
  snapshot_position_ += static_cast<std::int64_t>(chunk.size());
  const Whole whole = whole_batches(snapshot_rest_);
  if (sink_ != nullptr && whole.size > 0) sink_->on_batches(Bytes(snapshot_rest_).first(whole.size));
  snapshot_rest_.erase(snapshot_rest_.begin(), snapshot_rest_.begin() + static_cast<std::ptrdiff_t>(whole.size));
  if (snapshot_position_ < partition.size) return;
  in_snapshot_ = false;
  next_ = snapshot_end_;
  last_epoch_ = snapshot_epoch_;
}

}  // namespace hayward::tools

// See model_broker.h. This file: its life and what it sends; model_broker_answers.cc: what it makes of answers.
#include "model_broker.h"

#include <algorithm>

#include "frames.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"

namespace hayward::sim {
namespace {

constexpr std::string_view metadata_topic = "__cluster_metadata";
constexpr std::int32_t fetch_max_wait_ms = 500;
constexpr std::int64_t alter_partition_interval_ms = 200;

}  // namespace

ModelBroker::ModelBroker(Options options, std::uint64_t seed) : options_(std::move(options)), prng_(seed) {}

void ModelBroker::fail(std::string what) {
  if (!violation_) violation_ = "model broker " + std::to_string(options_.id.value) + ": " + std::move(what);
}

void ModelBroker::start(IncarnationId incarnation, bool clean, std::int64_t now_ms) {
  previous_epoch_ = clean ? epoch_ : BrokerEpoch{-1};
  incarnation_ = incarnation;
  epoch_ = BrokerEpoch{-1};
  told_unfenced_ = false;
  shutdown_requests_ = 0;
  reported_ = no_offset;
  old_heartbeat_.clear();
  for (Line& line : lines_) {
    ++line.connection;
    line.in_flight = false;
    line.next_ms = now_ms;
  }
  state_ = State::registering;
}

void ModelBroker::begin_shutdown(std::int64_t now_ms) {
  if (state_ != State::running) return;
  state_ = State::shutting_down;
  line(Channel::heartbeat).next_ms = now_ms;
}

void ModelBroker::kill() { state_ = State::stopped; }

void ModelBroker::give_up(Channel channel, std::int64_t next_ms) {
  Line& line = this->line(channel);
  ++line.connection;
  line.in_flight = false;
  line.next_ms = next_ms;
}

void ModelBroker::disconnected(Channel channel, std::uint32_t connection, std::int64_t now_ms) {
  if (line(channel).connection == connection) give_up(channel, now_ms + 50);
}

std::int64_t ModelBroker::next_wake_ms() const {
  if (!alive()) return INT64_MAX;
  std::int64_t wake_ms = INT64_MAX;
  for (const Line& line : lines_) {
    wake_ms = std::min(wake_ms, line.in_flight ? line.sent_ms + options_.request_timeout_ms : line.next_ms);
  }
  return std::max(wake_ms, silent_until_ms_);
}

void ModelBroker::run(std::int64_t now_ms, std::vector<OutFrame>& out) {
  if (!alive() || now_ms < silent_until_ms_) return;
  for (std::size_t i = 0; i < channel_count; ++i) {
    const auto channel = static_cast<Channel>(i);
    Line& line = lines_[i];
    if (line.in_flight && now_ms >= line.sent_ms + options_.request_timeout_ms) give_up(channel, now_ms);
    if (line.in_flight || now_ms < line.next_ms) continue;
    switch (channel) {
      case Channel::heartbeat:
        if (state_ == State::registering) send_registration(now_ms, out);
        else send_heartbeat(now_ms, out);
        break;
      case Channel::fetch:
        if (snapshot_) send_fetch_snapshot(now_ms, out);
        else send_fetch(now_ms, out);
        break;
      case Channel::alter_partition: send_alter_partition(now_ms, out); break;
    }
  }
}

template <class Request>
void ModelBroker::send(Channel channel, const Request& request, std::int16_t version, std::int64_t now_ms,
                       std::vector<OutFrame>& out) {
  Line& line = this->line(channel);
  line.in_flight = true;
  line.sent_ms = now_ms;
  line.api_key = Request::api_key;
  line.correlation_id = next_correlation_id_++;
  out.push_back({channel, line.connection, request_frame(request, version, line.correlation_id)});
}

void ModelBroker::send_registration(std::int64_t now_ms, std::vector<OutFrame>& out) {
  arena_.reset();
  messages::BrokerRegistrationRequest request;
  request.broker_id = options_.id;
  request.cluster_id = options_.cluster_id;
  request.incarnation_id = incarnation_;
  auto& listener = request.listeners.push_back(arena_);
  listener.name = "PLAINTEXT";
  listener.host = "127.0.0.1";
  listener.port = static_cast<std::uint16_t>(20000 + options_.id.value);
  const auto feature = [&](std::string_view name, std::int16_t min, std::int16_t max) {
    auto& to = request.features.push_back(arena_);
    to.name = name;
    to.min_supported_version = min;
    to.max_supported_version = max;
  };
  feature("metadata.version", 7, 30);
  feature("kraft.version", 0, 1);
  feature("transaction.version", 0, 2);
  feature("group.version", 0, 1);
  feature("eligible.leader.replicas.version", 0, 1);
  feature("share.version", 0, 1);
  feature("streams.version", 0, 1);
  request.log_dirs = Array<DirectoryId>(std::span<const DirectoryId>(options_.dirs));
  request.previous_broker_epoch = previous_epoch_;
  send(Channel::heartbeat, request, 4, now_ms, out);
}

void ModelBroker::send_heartbeat(std::int64_t now_ms, std::vector<OutFrame>& out) {
  if (state_ == State::recovering && now_ms >= recovered_ms_) state_ = State::running;
  messages::BrokerHeartbeatRequest request;
  request.broker_id = options_.id;
  request.broker_epoch = epoch_;
  request.current_metadata_offset = reported_ = std::max(reported_, view_.offset());
  request.want_fence = state_ == State::starting || state_ == State::recovering;
  request.want_shut_down = state_ == State::shutting_down;
  if (state_ != State::starting) request.cordoned_log_dirs = {};
  const Misbehaviour& chances = options_.misbehaviour;
  if (prng_.chance(chances.wrong_epoch, 1000)) request.broker_epoch = BrokerEpoch{epoch_.value - 1};
  if (prng_.chance(chances.lower_offset, 1000)) request.current_metadata_offset = Offset{reported_.value - 1};
  if (prng_.chance(chances.offset_beyond, 1000)) request.current_metadata_offset = Offset{1'000'000'000};
  honest_ = request.broker_epoch == epoch_ && request.current_metadata_offset == reported_;
  send(Channel::heartbeat, request, 2, now_ms, out);
  add_late_duplicate(out);
}

// An old heartbeat comes once more, as after a reconnect; its answer is of no interest.
void ModelBroker::add_late_duplicate(std::vector<OutFrame>& out) {
  const Buffer latest = out.back().bytes;
  if (!old_heartbeat_.empty() && prng_.chance(options_.misbehaviour.late_duplicate, 1000)) {
    constexpr std::uint32_t first_of_duplicates = 1u << 31;  // no number of its proper connections
    out.push_back({Channel::heartbeat, first_of_duplicates + duplicates_++, old_heartbeat_});
  }
  if (old_heartbeat_.empty() || prng_.chance(1, 8)) old_heartbeat_ = latest;
}

void ModelBroker::send_fetch(std::int64_t now_ms, std::vector<OutFrame>& out) {
  arena_.reset();
  messages::FetchRequest request;
  request.cluster_id = options_.cluster_id;
  request.replica_state.replica_id = options_.id;
  request.max_wait_ms = fetch_max_wait_ms;
  request.max_bytes = 1 << 20;
  auto& topic = request.topics.push_back(arena_);
  topic.topic_id = metadata_topic_id;
  auto& partition = topic.partitions.push_back(arena_);
  partition.current_leader_epoch = leader_epoch_;
  partition.fetch_offset = fetch_offset_;
  partition.last_fetched_epoch = last_fetched_epoch_;
  partition.replica_directory_id = options_.dirs.front();
  partition.high_watermark = high_watermark_;
  send(Channel::fetch, request, 18, now_ms, out);
}

void ModelBroker::send_fetch_snapshot(std::int64_t now_ms, std::vector<OutFrame>& out) {
  arena_.reset();
  messages::FetchSnapshotRequest request;
  request.cluster_id = options_.cluster_id;
  request.replica_id = options_.id;
  request.max_bytes = 64 << 10;
  auto& topic = request.topics.push_back(arena_);
  topic.name = metadata_topic;
  auto& partition = topic.partitions.push_back(arena_);
  partition.current_leader_epoch = leader_epoch_;
  partition.snapshot_id = {snapshot_->end, snapshot_->epoch};
  partition.position = snapshot_->position;
  partition.replica_directory_id = options_.dirs.front();
  send(Channel::fetch, request, 1, now_ms, out);
}

// One partition that it leads, with a replica that could be in the ISR and is not.
void ModelBroker::send_alter_partition(std::int64_t now_ms, std::vector<OutFrame>& out) {
  line(Channel::alter_partition).next_ms = now_ms + alter_partition_interval_ms;
  if (state_ != State::running || epoch_ == BrokerEpoch{-1}) return;
  for (const auto& [key, partition] : view_.partitions()) {
    if (partition.leader != options_.id) continue;
    const auto joins = [&](NodeId node) {
      const auto* broker = view_.broker(node);
      return broker != nullptr && broker->may_join() && std::ranges::find(partition.isr, node) == partition.isr.end();
    };
    const auto joiner = std::ranges::find_if(partition.replicas, joins);
    if (joiner == partition.replicas.end()) continue;
    arena_.reset();
    messages::AlterPartitionRequest request;
    request.broker_id = options_.id;
    request.broker_epoch = epoch_;
    auto& topic = request.topics.push_back(arena_);
    topic.topic_id = key.topic;
    auto& item = topic.partitions.push_back(arena_);
    item.partition_index = key.index;
    item.leader_epoch = partition.leader_epoch;
    item.partition_epoch = partition.partition_epoch;
    for (const NodeId node : partition.isr) {
      const auto* broker = view_.broker(node);
      item.new_isr_with_epochs.push_back(arena_, {node, broker != nullptr ? broker->epoch : BrokerEpoch{-1}});
    }
    item.new_isr_with_epochs.push_back(arena_, {*joiner, view_.broker(*joiner)->epoch});
    return send(Channel::alter_partition, request, 3, now_ms, out);
  }
}

}  // namespace hayward::sim

// See broker_life.h: what goes wrong, how brokers come back, and what must hold when all is healed.
#include <algorithm>

#include "broker_life.h"
#include "schemas/messages/create_topics_request.h"
#include "tests/sim/brokers/frames.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::string_view cluster_id = "kVZkUoYoQ2q1n0xq1m0Pxw";

}  // namespace

ModelBroker& BrokerLife::add_process(std::int32_t id) {
  ModelBroker::Options options;
  options.id = NodeId{id};
  options.cluster_id = cluster_id;
  options.dirs = {DirectoryId{Uuid{3, 1000 + static_cast<std::uint64_t>(id)}}};
  options.heartbeat_interval_ms = options_.heartbeat_ms;
  options.recovery_ms = pick(50, 1500);
  if (prng_.chance(1, 2)) options.misbehaviour = {.wrong_epoch = 30, .lower_offset = 50, .offset_beyond = 10, .late_duplicate = 100};
  processes_.push_back(std::make_unique<ModelBroker>(options, prng_.next()));
  return *processes_.back();
}

// --- faults

void BrokerLife::fault() {
  next_fault_ns_ = now_ns_ + pick(200, 5000) * ms;
  const std::uint64_t kind = prng_.below(20);
  if (kind < 4) create_topic();
  else if (kind < 10) fault_controller(kind);
  else fault_broker(kind);
}

void BrokerLife::fault_controller(std::uint64_t kind) {
  if (options_.shards > 1 && prng_.chance(1, 4)) {
    ++happenings_.shard_pauses;
    const std::int64_t for_ms = pick(50, prng_.chance(1, 3) ? 3 * options_.session_ms : options_.session_ms / 3);
    controller_.pause_shard(static_cast<std::uint16_t>(pick(1, options_.shards - 1)), now_ns_ + for_ms * ms);
    return;
  }
  switch (kind) {
    case 4: case 5:
      ++happenings_.pauses;
      paused_until_ns_ = now_ns_ + pick(50, prng_.chance(1, 3) ? 3 * options_.session_ms : options_.session_ms / 3) * ms;
      break;
    case 6: case 7:
      if (!controller_.running()) break;
      ++happenings_.crashes;
      controller_.crash();
      close_all_connections();
      {
        std::vector<Bytes> survives;
        for (const BatchPtr& batch : controller_.log().batches()) survives.push_back(batch->bytes);
        const auto snapshots = controller_.log().state().snapshots;
        oracle_.crashed(survives, snapshots.empty() ? Offset{0} : snapshots.back().id.end);
      }
      restart_controller_ns_ = now_ns_ + pick(20, prng_.chance(1, 4) ? 2 * options_.session_ms : 1000) * ms;
      break;
    case 8:
      ++happenings_.slow_disks;
      controller_.log().set_latency(500 * ms, pick(600, 12'000) * ms);
      normal_disk_ns_ = now_ns_ + pick(500, 15'000) * ms;
      break;
    default:
      ++happenings_.busy_times;
      controller_.be_busy(now_ns_ + pick(100, 12'000) * ms);
      break;
  }
}

void BrokerLife::fault_broker(std::uint64_t kind) {
  const auto which = static_cast<std::size_t>(prng_.below(static_cast<std::uint64_t>(options_.brokers)));
  ModelBroker& broker = *processes_[which];
  if (!broker.alive()) return;
  if (kind < 13) {
    ++happenings_.silences;
    broker.be_silent(now_ms() + pick(500, 2 * options_.session_ms));
  } else if (kind < 15) {
    ++happenings_.kills;
    broker.kill();
    restarts_ns_[which] = now_ns_ + pick(100, 2 * options_.session_ms) * ms;
  } else if (kind < 18) {
    if (broker.state() == ModelBroker::State::running) ++happenings_.shutdowns;
    broker.begin_shutdown(now_ms());
  } else if (processes_.size() < static_cast<std::size_t>(options_.brokers) + 8) {
    ++happenings_.doubles;
    ModelBroker& other = add_process(broker.id().value);
    other.start(IncarnationId{prng_.uuid()}, false, now_ms());
  }
}

void BrokerLife::create_topic() {
  Arena arena;
  messages::CreateTopicsRequest request;
  auto& topic = request.topics.push_back(arena);
  topic.name = arena.copy("topic-" + std::to_string(topics_++));
  topic.num_partitions = static_cast<std::int32_t>(pick(1, options_.topic_partitions));
  topic.replication_factor = static_cast<std::int16_t>(pick(1, std::min(3, options_.brokers)));
  const auto connection = connection_of(operator_process, Channel::heartbeat, static_cast<std::uint32_t>(topics_));
  send(true, connection, request_frame(request, 7, 1));
}

// --- brokers come back

// Stopped ones are started again after a while, doubles live for a while only, and one whose registration was
// taken over by a double is started anew, as an operator would.
void BrokerLife::tend_brokers() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    ModelBroker& broker = *processes_[i];
    const bool is_double = i >= static_cast<std::size_t>(options_.brokers);
    if (is_double) {
      const bool refused = broker.last_registration_error() == ErrorCode::duplicate_broker_registration;
      if (refused && refused_.insert(i).second) ++happenings_.refused_doubles;
      if (broker.alive() && (healing_ || prng_.chance(1, 3000))) broker.kill();
      continue;
    }
    if (!broker.alive() && !restarts_ns_.contains(i)) {
      ++happenings_.orderly_stops;
      restarts_ns_[i] = now_ns_ + pick(0, 5000) * ms;
    }
    const auto* known = oracle_.committed_view().broker(broker.id());
    const bool replaced = known != nullptr && broker.epoch() != BrokerEpoch{-1} && known->epoch > broker.epoch();
    if (broker.alive() && replaced && (healing_ || prng_.chance(1, 500))) {
      broker.kill();
      restarts_ns_[i] = now_ns_ + 100 * ms;
    }
    const auto restart = restarts_ns_.find(i);
    if (restart == restarts_ns_.end() || now_ns_ < restart->second) continue;
    restarts_ns_.erase(restart);
    const IncarnationId incarnation{prng_.uuid()};
    broker.start(incarnation, prng_.chance(1, 2), now_ms());
  }
}

void BrokerLife::heal() {
  healing_ = true;
  next_fault_ns_ = INT64_MAX;
  paused_until_ns_ = 0;
  normal_disk_ns_ = now_ns_;
  controller_.be_busy(0);
  for (std::uint16_t shard = 1; shard < options_.shards; ++shard) controller_.pause_shard(shard, 0);
  if (!controller_.running()) restart_controller_ns_ = now_ns_;
  for (const auto& process : processes_) {
    process->be_silent(0);
    process->behave();
  }
}

std::optional<std::string> BrokerLife::check_healed() const {
  if (!controller_.node().view().active) return "V1: the controller is not active";
  const BrokerView& view = oracle_.committed_view();
  for (int i = 0; i < options_.brokers; ++i) {
    const ModelBroker& broker = *processes_[static_cast<std::size_t>(i)];
    const std::string who = "broker " + std::to_string(broker.id().value);
    if (broker.state() != ModelBroker::State::running || !broker.told_unfenced()) return "V3: " + who + " is not unfenced";
    const auto* known = view.broker(broker.id());
    if (known == nullptr || known->fenced || known->epoch != broker.epoch()) return "V3: " + who + " is not in the log";
    if (broker.view().offset().value + 10 < view.offset().value) return "V4: " + who + " is behind";
  }
  for (const auto& [key, partition] : view.partitions()) {
    const bool live = std::ranges::any_of(partition.isr, [&](NodeId id) {
      const auto* broker = view.broker(id);
      return broker != nullptr && broker->may_join();
    });
    if (live && partition.leader == no_node) return "V5: a partition with a living ISR member has no leader";
  }
  return std::nullopt;
}

}  // namespace hayward::sim

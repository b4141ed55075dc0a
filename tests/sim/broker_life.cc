// See broker_life.h. This file: time, network, and what the oracle is shown; broker_life_faults.cc: what goes wrong.
#include "broker_life.h"

#include <algorithm>

#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/records/feature_level_record.h"
#include "tests/sim/brokers/frames.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int32_t controller_id = 100;
constexpr std::string_view cluster_id = "kVZkUoYoQ2q1n0xq1m0Pxw";

std::vector<LeaseOracle::Incarnation> incarnations(const core::LeasesExpired& mail) {
  std::vector<LeaseOracle::Incarnation> brokers;
  for (const auto& broker : mail.brokers) brokers.push_back({broker.id, broker.epoch});
  return brokers;
}

}  // namespace

void Happenings::add(const Happenings& other) {
  for (auto field : {&Happenings::steps, &Happenings::pauses, &Happenings::crashes, &Happenings::slow_disks,
                     &Happenings::busy_times, &Happenings::silences, &Happenings::kills, &Happenings::shutdowns,
                     &Happenings::orderly_stops, &Happenings::doubles, &Happenings::refused_doubles,
                     &Happenings::expiries, &Happenings::stalls, &Happenings::ignored, &Happenings::foreign,
                     &Happenings::elsewhere, &Happenings::fetches_beside, &Happenings::shard_pauses, &Happenings::in_slices,
                     &Happenings::partitions, &Happenings::records}) {
    this->*field += other.*field;
  }
}

BrokerLife::BrokerLife(const Options& options)
    : options_(options),
      prng_(options.seed),
      oracle_(options.session_ms * ms, 10 * ms, options.shards, 60 * ms,
              [shards = options.shards](NodeId id) {
                return shards == 1 ? std::size_t{0} : 1 + static_cast<std::size_t>(id.value) % (shards - 1u);
              }),
      controller_(node_config(), options.shards, prng_.next(), watch()) {}

core::NodeConfig BrokerLife::node_config() const {
  core::NodeConfig config;
  config.node_id = NodeId{controller_id};
  config.cluster_id = cluster_id;
  config.directory_id = DirectoryId{Uuid{1, 1000}};
  config.incarnation_id = IncarnationId{Uuid{2, 1000}};
  config.advertised = {{"CONTROLLER", "127.0.0.1", 9093, 0}};
  config.static_voters = {{config.node_id, {}, config.advertised}};
  config.broker_session_timeout_ms = static_cast<std::int32_t>(options_.session_ms);
  config.broker_heartbeat_interval_ms = static_cast<std::int32_t>(options_.heartbeat_ms);
  config.snapshot_bytes = options_.seed % 3 == 0 ? 4000 : 20971520;
  config.random_seed = options_.seed;
  config.partitions_per_slice = options_.partitions_per_slice;
  records::FeatureLevelRecord level;
  const auto finalize = [&](std::string_view name, std::int16_t to) {
    level.name = name;
    level.feature_level = to;
    records::append_frame(config.bootstrap_records.emplace_back(), level, 0);
  };
  finalize("metadata.version", 30);
  if (options_.elr) finalize("eligible.leader.replicas.version", 1);
  return config;
}

Watch BrokerLife::watch() {
  Watch watch;
  watch.turn = [this](std::uint16_t shard, std::int64_t stall_ns) { oracle_.turn(shard, now_ns_, stall_ns); };
  watch.arrived = [this](std::uint16_t shard, const core::Request& request) { note_arrival(shard, request); };
  watch.mailed = [this](const core::LeasesExpired& mail) { oracle_.mailed(incarnations(mail), now_ns_); };
  watch.expired = [this](const core::LeasesExpired& mail) { oracle_.expired(incarnations(mail)); };
  watch.stepped = [this](const core::Event& event, const core::Effects& effects) { note_step(event, effects); };
  watch.replied = [this](core::ConnectionId connection, Bytes frame) { note_reply(connection, frame); };
  watch.closed = [this](core::ConnectionId connection) { send(false, connection, std::nullopt); };
  return watch;
}

std::int64_t BrokerLife::pick(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(high - low + 1)));
}

// --- the loop

std::optional<std::string> BrokerLife::run() {
  start_controller();
  for (int id = 1; id <= options_.brokers; ++id) {
    ModelBroker& broker = add_process(id);
    const IncarnationId incarnation{prng_.uuid()};  // one draw after the other: arguments have no order
    broker.start(incarnation, false, now_ms() + pick(0, 3000));
  }
  next_fault_ns_ = now_ns_ + pick(3000, 8000) * ms;
  const std::int64_t healing_ns = now_ns_ + options_.faults_ms * ms;
  const std::int64_t end_ns = healing_ns + (2 * options_.session_ms + 15'000) * ms;
  while (now_ns_ < end_ns) {
    if (!healing_ && now_ns_ >= healing_ns) heal();
    advance();
    if (auto violation = first_violation()) return "at " + std::to_string(now_ms()) + " ms: " + *violation;
  }
  happenings_.expiries = oracle_.expiries;
  happenings_.stalls = oracle_.stalls;
  happenings_.ignored = oracle_.ignored;
  happenings_.in_slices = oracle_.in_slices;
  happenings_.foreign = oracle_.foreign;
  happenings_.elsewhere = oracle_.elsewhere;
  happenings_.fetches_beside = controller_.fetches_beside();
  happenings_.partitions = oracle_.committed_view().partitions().size();
  happenings_.records = static_cast<std::uint64_t>(controller_.log().end().value);
  return check_healed();
}

void BrokerLife::start_controller() {
  for (std::uint16_t shard = 0; shard < options_.shards; ++shard) oracle_.turn(shard, now_ns_, 0);
  controller_.start(now_ns_);
}

std::int64_t BrokerLife::next_ns() const {
  std::int64_t next = std::min({next_fault_ns_, restart_controller_ns_, normal_disk_ns_});
  if (!network_.empty()) next = std::min(next, network_.top().at_ns);
  if (controller_.running()) next = std::min(next, std::max(controller_.next_wake_ns(), paused_until_ns_));
  for (const auto& [process, at_ns] : restarts_ns_) next = std::min(next, at_ns);
  for (const auto& process : processes_) {
    const std::int64_t wake_ms = process->next_wake_ms();
    if (wake_ms != INT64_MAX) next = std::min(next, wake_ms * ms);
  }
  return std::max(next, now_ns_ + 1);
}

void BrokerLife::advance() {
  now_ns_ = next_ns();
  tend_brokers();
  if (now_ns_ >= next_fault_ns_) fault();
  deliver();
  run_controller();
  run_brokers();
}

void BrokerLife::run_controller() {
  if (now_ns_ >= restart_controller_ns_) {
    restart_controller_ns_ = INT64_MAX;
    start_controller();
  }
  if (now_ns_ >= normal_disk_ns_) {
    normal_disk_ns_ = INT64_MAX;
    controller_.log().set_latency(100'000, 2 * ms);
  }
  if (!controller_.running() || now_ns_ < paused_until_ns_) return;
  controller_.turn(now_ns_);
  oracle_.check_not_late(now_ns_);
}

void BrokerLife::run_brokers() {
  std::vector<OutFrame> frames;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    frames.clear();
    processes_[i]->run(now_ms(), frames);
    for (OutFrame& frame : frames) {
      send(true, connection_of(i, frame.channel, frame.connection), std::move(frame.bytes));
    }
  }
}

// --- the network

core::ConnectionId BrokerLife::connection_of(std::size_t process, Channel channel, std::uint32_t number) {
  const auto [found, fresh] = connections_.try_emplace({process, channel, number});
  if (fresh) {
    found->second = {.slot = next_slot_++, .generation = 1, .shard = 0};
    peers_[found->second] = {process, channel, number, std::nullopt};
  }
  return found->second;
}

void BrokerLife::send(bool to_controller, core::ConnectionId connection, std::optional<Buffer> frame) {
  const std::int64_t delay_ns = prng_.chance(1, 50) ? pick(1, 200) * ms : pick(50'000, 3 * ms);
  network_.push({now_ns_ + delay_ns, next_order_++, to_controller, connection, std::move(frame)});
}

void BrokerLife::deliver() {
  while (!network_.empty() && network_.top().at_ns <= now_ns_) {
    const Delivery delivery = network_.top();
    network_.pop();
    const auto found = peers_.find(delivery.connection);
    if (found == peers_.end()) continue;  // gone meanwhile
    const Peer& peer = found->second;
    if (delivery.to_controller) {
      if (controller_.running()) controller_.deliver(delivery.connection, *delivery.frame);
      else send(false, delivery.connection, std::nullopt);  // refused
      continue;
    }
    if (peer.process == operator_process) continue;
    ModelBroker& broker = *processes_[peer.process];
    if (delivery.frame) broker.receive(peer.channel, peer.connection, *delivery.frame, now_ms());
    else broker.disconnected(peer.channel, peer.connection, now_ms());
  }
}

void BrokerLife::close_all_connections() {
  for (const auto& [connection, peer] : peers_) {
    if (peer.process != operator_process) processes_[peer.process]->disconnected(peer.channel, peer.connection, now_ms());
  }
  peers_.clear();
  connections_.clear();
}

// --- what the oracle is shown

void BrokerLife::note_arrival(std::uint16_t shard, const core::Request& request) {
  if (request.api_key != messages::BrokerHeartbeatRequest::api_key) return;
  Reader reader(request.body);
  Arena arena;
  messages::BrokerHeartbeatRequest heartbeat;
  if (!decode(reader, request.api_version, arena, heartbeat)) return;
  auto& noted = peers_[request.connection].heartbeat;
  noted = LeaseOracle::Heartbeat{.broker = {heartbeat.broker_id, heartbeat.broker_epoch},
                                 .offset = heartbeat.current_metadata_offset,
                                 .want_fence = heartbeat.want_fence,
                                 .want_shut_down = heartbeat.want_shut_down};
  oracle_.arrived(shard, *noted, controller_.log().end(), now_ns_);
}

void BrokerLife::note_step(const core::Event& event, const core::Effects& effects) {
  ++happenings_.steps;
  if (std::holds_alternative<core::Flushed>(event)) {
    for (const BatchPtr& batch : controller_.log().batches()) {
      if (batch->base < committed_ || batch->last >= controller_.log().flushed_end()) continue;
      oracle_.committed(batch->bytes);
      committed_ = Offset{batch->last.value + 1};
    }
  }
  if (const auto* request = std::get_if<core::Request>(&event)) {
    const auto peer = peers_.find({request->connection.slot, 1, 0});
    if (peer != peers_.end() && peer->second.heartbeat) oracle_.handled(*peer->second.heartbeat);
  }
  if (const auto* contacts = std::get_if<core::BrokerContacts>(&event)) {
    for (const auto& contact : contacts->brokers) {
      oracle_.contact_handled({contact.broker.id, contact.broker.epoch}, contact.metadata_offset);
    }
  }
  std::vector<LeaseOracle::Incarnation> granted;
  bool activated = false;
  for (const core::Effect& effect : effects) {
    if (const auto* append = std::get_if<core::Append>(&effect)) oracle_.appended(append->batch->bytes, now_ns_);
    if (std::holds_alternative<core::ResetLeases>(effect)) activated = true;
    if (const auto* grant = std::get_if<core::GrantLease>(&effect)) granted.push_back({grant->broker.id, grant->broker.epoch});
  }
  if (activated) oracle_.activated(now_ns_, granted);
  if (const auto* mail = std::get_if<core::LeasesExpired>(&event)) {
    oracle_.expiry_handled(incarnations(*mail));
  }
  if (happenings_.steps % options_.steps_between_checks != 0) return;
  if (auto broken = core::check(controller_.node().image()); broken && !violation_) violation_ = broken;
  if (controller_.log().flushed_end() == controller_.node().view().log_end) {
    if (auto broken = history_.observe(controller_.node().image()); broken && !violation_) violation_ = broken;
  }
}

void BrokerLife::note_reply(core::ConnectionId connection, Bytes frame) {
  const auto found = peers_.find(connection);
  if (found == peers_.end()) return;
  if (auto& heartbeat = found->second.heartbeat) {
    Arena arena;
    Reader reader(frame);
    messages::ResponseHeader header;
    messages::BrokerHeartbeatResponse response;
    if (decode(reader, 1, arena, header) && decode(reader, 2, arena, response)) {
      oracle_.answered(*heartbeat, response.error_code, response.is_fenced);
    }
    heartbeat.reset();
  }
  send(false, connection, Buffer(frame.begin(), frame.end()));
}

std::optional<std::string> BrokerLife::first_violation() const {
  if (violation_) return violation_;
  if (controller_.failure()) return "the controller: " + *controller_.failure();
  if (auto violation = oracle_.violation()) return violation;
  for (const auto& process : processes_) {
    if (auto violation = process->violation()) return violation;
    if (process->view().offset() >= committed_) return "C12: a broker has read what is not committed";
  }
  return std::nullopt;
}

}  // namespace hayward::sim
